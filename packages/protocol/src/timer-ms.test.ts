import { expect, it } from "vitest";
import { timerMs } from "./timer-ms.ts";

it("never returns a value that a timer would treat as no wait at all", () => {
  expect(timerMs(0)).toBe(1);
  expect(timerMs(20.2)).toBe(21);
  expect(timerMs(365 * 86_400_000)).toBe(2 ** 31 - 1);
  expect(timerMs(Number.POSITIVE_INFINITY)).toBe(2 ** 31 - 1);
});
