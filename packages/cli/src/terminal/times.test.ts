import { expect, it } from "vitest";
import { ago, duration, isoSeconds } from "./times.ts";

it("states a duration in its largest unit, without rounding up", () => {
  const lengths = [0, 999, 1_000, 9_999, 59_999, 60_000, 3_599_999, 3_600_000, 86_400_000 * 3];
  expect(lengths.map(duration)).toEqual([
    "0 ms",
    "999 ms",
    "1.0 s",
    "9.9 s",
    "59 s",
    "1 min",
    "59 min",
    "1 h",
    "3 d",
  ]);
});

it("calls the last second, and a future caused by a clock change, just now", () => {
  expect(ago(1_000, 1_400)).toBe("just now");
  expect(ago(5_000, 1_000)).toBe("just now");
  expect(ago(0, 61_000)).toBe("1 min ago");
});

it("writes a time to the second, in UTC", () => {
  expect(isoSeconds(1_716_000_000_123)).toBe("2024-05-18T02:40:00Z");
});
