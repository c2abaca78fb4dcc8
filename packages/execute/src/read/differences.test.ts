import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { differences } from "./differences.ts";

const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)));

describe("differences", () => {
  it("finds none between a value and its copy", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(differences(value, structuredClone(value))).toEqual([]);
      }),
    );
  });

  it("finds some between values whose JSON differs", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        fc.pre(canonical(a) !== canonical(b));
        expect(differences(a, b)).not.toEqual([]);
      }),
    );
  });

  it("names each place by its path", () => {
    expect(
      differences(
        { phases: [{ title: "a" }], n: 1, "a b": 1 },
        { phases: [{ title: "b" }, {}], n: 1 },
      ),
    ).toEqual([
      { path: "phases[0].title", a: "a", b: "b" },
      { path: "phases[1]", a: undefined, b: {} },
      { path: '["a b"]', a: 1, b: undefined },
    ]);
  });

  it("compares a key __proto__ like any other", () => {
    expect(differences(JSON.parse('{"__proto__":1}'), {})).toEqual([
      { path: "__proto__", a: 1, b: undefined },
    ]);
  });
});

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
