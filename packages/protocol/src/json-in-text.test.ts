import { describe, expect, it } from "vitest";
import { jsonInText } from "./json-in-text.ts";

const first = (text: string): unknown => [...jsonInText(text)][0];

describe("jsonInText", () => {
  it.each([
    ["plain JSON", ' {"a":1}\n', { a: 1 }],
    ["a fenced block", 'Done.\n```json\n{"a":1}\n```\nBye.', { a: 1 }],
    ["the last of several fenced blocks", '```json\n{"a":1}\n```\n```\n{"a":2}\n```', { a: 2 }],
    ["an object at the end of a sentence", 'The result is {"a":{"b":1}}', { a: { b: 1 } }],
  ])("finds %s", (_name, text, value) => {
    expect(first(text)).toEqual(value);
  });

  it("finds nothing in prose, and stops looking in a text of nothing but braces", () => {
    expect([...jsonInText("no result")]).toEqual([]);
    expect([...jsonInText("{".repeat(1_000_000))]).toEqual([]);
  });
});
