import fc from "fast-check";
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
    ["an object after words on its line", 'The result is: {"a":1}', { a: 1 }],
    ["an object followed by a sentence", 'So {"a":1} is it. Bye.', { a: 1 }],
    [
      "an object in the middle, over several lines",
      'So:\n{\n  "a": [1, {"b": "}"}]\n}\nThat is it.',
      { a: [1, { b: "}" }] },
    ],
    [
      "the last of several objects, fenced or not",
      '```json\n{"a":1}\n```\nNo: {"a":2}. Yes.',
      { a: 2 },
    ],
    [
      "an object after brackets in prose",
      'In [1] and {this}, f("x") { return } returns {"a":1}',
      { a: 1 },
    ],
    ["an object after a quote mark in prose", 'I looked for {" and found {"a":1}', { a: 1 }],
    [
      "an object before a bracket that is never closed",
      '{"a":1} and so on (see [the list',
      { a: 1 },
    ],
    ["an object in a fence that is never closed", '```json\n{"a":1}\nand so on', { a: 1 }],
    ["a block whose closing fence is longer", '```json\n{"a":1}\n`````\nBye.', { a: 1 }],
    ["the object after a byte order mark", '\uFEFF{"a":1}', { a: 1 }],
    ["a `__proto__` key, as data", '{"__proto__":{"a":1}}', JSON.parse('{"__proto__":{"a":1}}')],
  ])("finds %s", (_name, text, value) => {
    expect(first(text)).toEqual(value);
  });

  it.each([
    ["prose", "no result"],
    ["a list", "[1]"],
    ["a block in another language", '```ts\n{"a":1}\n```\nBye.'],
    ["an object inside another value", '[{"a":1},{"a":2}]'],
    ["an object that was cut off, whatever it contains", 'So: {"a":{"b":1},"c":[{"d":2}'],
    ["an object that is cut off inside a string", '{"a":{},"b":"x {} y'],
    ["an object with a syntax error after another", '{"a": {"b":1} oops}'],
    ["what only looks like JSON", '{a:1} {\'a\':1} {"a":1,} {"a":01} {"a":"\\x"} {"a":1 "b":2}'],
    ["an object nested far too deep", `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`],
    ["a megabyte that opens and never closes", '{"a":'.repeat(200_000)],
    ["a megabyte of quotes", '{"'.repeat(500_000)],
    ["a megabyte of lists", "[".repeat(1_000_000)],
    ["a megabyte that fails at its end", `${'["a",'.repeat(200_000)}x`],
    ["a text of braces only", "\n{".repeat(1_000_000)],
  ])("finds nothing in %s", (_name, text) => {
    expect([...jsonInText(text)]).toEqual([]);
  });
});

it("finds any JSON object placed between words", () => {
  const words = fc.string({
    unit: fc.constantFrom("a", " ", "\n", '"', ":", ",", "}", "]", "\\", "1", "é"),
  });
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 5 });
  fc.assert(
    fc.property(words, object, words, fc.boolean(), (before, value, after, isWide) => {
      const json = JSON.stringify(value, null, isWide ? 2 : 0);
      const part = `${before} ${json} ${after}`;
      expect(jsonInText(part).next().value).toEqual(JSON.parse(json));
    }),
  );
});

it("finds only valid JSON in texts of random punctuation", () => {
  const noise = fc.string({
    unit: fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      '"',
      ":",
      ",",
      "a",
      "1",
      " ",
      "\n",
      "\\",
      "`",
      "\u0000",
    ),
    maxLength: 60,
  });
  fc.assert(
    fc.property(noise, (text) => {
      for (const found of jsonInText(text)) expect(typeof found).toBe("object");
    }),
    { numRuns: 2_000 },
  );
});
