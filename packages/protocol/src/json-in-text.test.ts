import { describe, expect, it } from "vitest";
import { jsonInText } from "./json-in-text.ts";

const first = (text: string): unknown => [...jsonInText(text)][0];

describe("jsonInText", () => {
  it.each([
    ["plain JSON", ' {"a":1}\n', { a: 1 }],
    ["a fenced block", 'Done.\n```json\n{"a":1}\n```\nBye.', { a: 1 }],
    ["the last of several fenced blocks", '```json\n{"a":1}\n```\n```\n{"a":2}\n```', { a: 2 }],
    ["a block with a longer fence around another", '````\n{"a":"```"}\n````', { a: "```" }],
    [
      "an object over several lines at the end of the text",
      'So:\n{\n"a": {"b": 1}\n}\n',
      { a: { b: 1 } },
    ],
  ])("finds %s", (_name, text, value) => {
    expect(first(text)).toEqual(value);
  });

  it.each([
    ["prose", "no result"],
    ["a list", "[1]"],
    ["a block in another language", '```ts\n{"a":1}\n```\nBye.'],
    ["a fence that is never closed", '```json\n{"a":1}\nand so on'],
    ["a text of nothing but braces", "\n{".repeat(1_000_000)],
  ])("finds nothing in %s", (_name, text) => {
    expect([...jsonInText(text)]).toEqual([]);
  });
});
