import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inertData } from "./inert-data.ts";

describe("data without the evaluator's marks", () => {
  it("is the same object when there are none", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: true }), (value) => {
        expect(inertData(value)).toBe(value);
      }),
    );
  });

  it("loses a mark at any depth, and nothing else", () => {
    const value = { a: [{ _jsonata_lambda: true, b: 1 }], c: { outerWrapper: true }, d: [2] };
    expect(inertData(value)).toEqual({ a: [{ b: 1 }], c: {}, d: [2] });
    expect(inertData(value).d).toBe(value.d);
  });
});
