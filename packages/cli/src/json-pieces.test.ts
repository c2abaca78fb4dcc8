import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonPieces } from "./json-pieces.ts";

const joined = (document: unknown): string => [...jsonPieces(document)].join("");

test("the pieces are the JSON of the document and a line break, whatever it is", () => {
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
