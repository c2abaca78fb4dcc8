import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { canonicalJson } from "./canonical-json.ts";

/** JSON values as JSON.parse returns them, so that `-0` and the like are normalized. */
const anyJson = fc.json({ maxDepth: 5, stringUnit: "binary" }).map((text) => JSON.parse(text));
const anyText = fc.string({ unit: "binary" });
const loneUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
const awkwardText = fc.array(fc.oneof(loneUnit, anyText), { maxLength: 8 }).map((t) => t.join(""));

test("keys are sorted by UTF-16 code units, not by code points", () => {
  // U+1F600 begins with the unit D83D, which comes before U+FB33.
  expect(canonicalJson({ "\ufb33": 1, "😀": 2, a: 3, "": 4, B: 5 })).toBe(
    '{"":4,"B":5,"a":3,"😀":2,"\ufb33":1}',
  );
});

test("numbers are written as JavaScript writes them", () => {
  expect(canonicalJson([1e21, 1e-7, -0, 0.1, 333333333.3333333, 4.5])).toBe(
    "[1e+21,1e-7,0,0.1,333333333.3333333,4.5]",
  );
});

test("what YAML does not print, or reads as a line break, is escaped", () => {
  expect(
    canonicalJson("\0\u001f\u007f\u0080\u0085\u009f\u2028\u2029\ufeff\ufffe\uffff\ud800"),
  ).toBe('"\\u0000\\u001f\\u007f\\u0080\\u0085\\u009f\\u2028\\u2029\\ufeff\\ufffe\\uffff\\ud800"');
  expect(canonicalJson("é \u00a0 日本 😀")).toBe('"é \u00a0 日本 😀"');
});

test("a key __proto__ is data like any other", () => {
  const value = JSON.parse('{"__proto__":{"polluted":true},"a":1}');
  expect(canonicalJson(value)).toBe('{"__proto__":{"polluted":true},"a":1}');
});

test("what is written is read back equal by a JSON parser and by a YAML parser", () => {
  fc.assert(
    fc.property(fc.oneof(anyJson, awkwardText), (value) => {
      const text = canonicalJson(value);
      expect(JSON.parse(text)).toEqual(value);
      expect(parse(`value: ${text}\n`)).toEqual({ value });
    }),
    { numRuns: 1000 },
  );
});

test("equal values have equal texts, in whatever order they were made", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(anyText, anyJson), { selector: ([key]) => key }),
      (pairs) => {
        const forward = Object.fromEntries(pairs);
        const backward = Object.fromEntries(pairs.toReversed());
        expect(canonicalJson(forward)).toBe(canonicalJson(backward));
      },
    ),
  );
});

test.each([
  ["undefined", { a: undefined }],
  ["a number that is none", { a: Number.NaN }],
  ["infinity", [Number.POSITIVE_INFINITY]],
  ["a function", { a: () => 1 }],
  ["a big integer", [1n]],
  ["201 levels", JSON.parse(`${"[".repeat(201)}${"]".repeat(201)}`)],
])("%s is refused", (_what, value) => {
  expect(() => canonicalJson(value)).toThrow(TypeError);
});
