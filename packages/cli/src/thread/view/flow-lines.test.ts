import { expect, it } from "vitest";
import { flowLines } from "./flow-lines.ts";

const words = ["one", "two", "three"];

it("puts words on one line if there is room, or the width is unknown", () => {
  for (const columns of [null, 17])
    expect(flowLines(words, { indent: 2, columns })).toEqual(["  one  two  three"]);
});

it("starts a new line rather than break a word, however narrow the terminal is", () => {
  expect(flowLines(words, { indent: 2, columns: 16 })).toEqual(["  one  two", "  three"]);
  expect(flowLines(words, { indent: 2, columns: 1 })).toEqual(["  one", "  two", "  three"]);
  expect(flowLines([], { indent: 2, columns: 1 })).toEqual([]);
});
