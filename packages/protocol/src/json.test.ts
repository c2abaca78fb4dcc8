import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_JSON_DEPTH, parseJson, toJsonObject } from "./json.ts";

describe("toJsonObject", () => {
  it("returns any JSON object as it is, keys such as __proto__ included", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__")), fc.jsonValue()),
        (source) => {
          const text = JSON.stringify(source);
          expect(JSON.stringify(toJsonObject(JSON.parse(text)))).toBe(text);
        },
      ),
    );
  });

  it("leaves undefined properties out", () => {
    expect(toJsonObject({ a: 1, b: undefined })).toEqual({ a: 1 });
  });

  it.each([
    ["an array", []],
    ["a date", { at: new Date(0) }],
    ["NaN", { n: Number.NaN }],
    ["a function", { f: () => 1 }],
    ["a hole in an array", { a: [undefined] }],
    ["a map", new Map()],
    ["null", null],
  ])("refuses %s", (_name, value) => {
    expect(toJsonObject(value)).toBeNull();
  });

  it("refuses cycles, and nesting too deep for other readers", () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(toJsonObject(cycle)).toBeNull();
    let deep: unknown = 1;
    for (let level = 0; level <= MAX_JSON_DEPTH; level++) deep = { deep };
    expect(toJsonObject(deep)).toBeNull();
  });
});

describe("parseJson", () => {
  it("returns the parsed value, and undefined for text that is not JSON", () => {
    expect(parseJson('{"a":[1,null]}')).toEqual({ a: [1, null] });
    expect(parseJson("null")).toBeNull();
    for (const text of ["", "{", "undefined", "a"]) expect(parseJson(text)).toBeUndefined();
  });
});
