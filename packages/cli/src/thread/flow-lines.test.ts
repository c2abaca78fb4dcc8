import { expect, it } from "vitest";
import { flowLines } from "./flow-lines.ts";

const words = ["one", "two", "three"];

it("puts words into one line where there is room, or nobody knows how much", () => {
  for (const columns of [null, 17])
    expect(flowLines(words, { indent: 2, columns })).toEqual(["  one  two  three"]);
});

it("begins another line rather than break a word, however narrow it is", () => {
  expect(flowLines(words, { indent: 2, columns: 16 })).toEqual(["  one  two", "  three"]);
  expect(flowLines(words, { indent: 2, columns: 1 })).toEqual(["  one", "  two", "  three"]);
  expect(flowLines([], { indent: 2, columns: 1 })).toEqual([]);
});
