import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonPieces } from "./json-pieces.ts";

const joined = (document: unknown): string => [...jsonPieces(document)].join("");

test("the pieces are the document's JSON and a line break, whatever the document", () => {
  const leaf = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.date({ noInvalidDate: true }));
  const list = fc.array(leaf);
  const document = fc.oneof(
    list,
    fc.jsonValue(),
    fc.dictionary(fc.string(), fc.oneof(leaf, list)),
    fc.date({ noInvalidDate: true }),
  );
  fc.assert(
    fc.property(document, (value) => {
      expect(joined(value)).toBe(`${JSON.stringify(value)}\n`);
    }),
  );
});

test("terminal control characters are escaped, and parse back to the same text", () => {
  const document = { "\u009b2J": ["\u007f\u202e\u2028 漢字 🙂", "\u001b]52;c;aGk=\u0007"] };
  expect(joined(document)).not.toMatch(/[^\P{Cc}\n]|[\u2028-\u202e]/u);
  expect(JSON.parse(joined(document))).toEqual(document);
});

test("a field named __proto__ is data", () => {
  const document: unknown = JSON.parse('{"__proto__":{"a":1},"b":[{"__proto__":2}]}');
  expect(joined(document)).toBe('{"__proto__":{"a":1},"b":[{"__proto__":2}]}\n');
});

test("a short document is one piece; a long list comes in many of about a quarter of a megabyte", () => {
  expect([...jsonPieces({ steps: [1, 2], ok: true })]).toEqual(['{"steps":[1,2],"ok":true}\n']);
  const steps = Array.from({ length: 2_000 }, () => "x".repeat(1_000));
  const lengths = [...jsonPieces({ steps })].map((piece) => piece.length);
  expect(lengths.length).toBe(8);
  expect(Math.max(...lengths)).toBeLessThan(270_000);
});
