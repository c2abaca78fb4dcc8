import { expect, it } from "vitest";
import { looksBack } from "./looks-back.ts";

it("begins near the end, goes back further each time, and ends at the beginning", () => {
  expect([...looksBack(0)]).toEqual([]);
  expect([...looksBack(512)]).toEqual([0]);
  expect([...looksBack(513)]).toEqual([1, 0]);
  expect([...looksBack(5_000)]).toEqual([4_488, 904, 0]);
});
