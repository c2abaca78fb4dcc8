import { type ModeratorContext, type ModeratorStep, START } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visible } from "./projection.ts";

const step = (role: string, meta: Record<string, unknown> = {}): ModeratorStep => ({
  role,
  meta,
  contentHash: "0000000000000",
  refs: [],
  timestamp: 0,
});

const context = (steps: readonly ModeratorStep[]): ModeratorContext => ({
  threadId: "01KAJ2Z6PVX0000000000000ZZ",
  depth: 0,
  bundleHash: "0".repeat(13),
  start: { role: START, content: "do it", meta: {}, timestamp: 0, parentState: null },
  steps,
});

/** A step that counts how often its meta is read. */
function watchedStep(reads: { count: number }): ModeratorStep {
  return Object.defineProperty(step("coder"), "meta", {
    enumerable: true,
    get() {
      reads.count += 1;
      return { n: 1 };
    },
  });
}

describe("the projection", () => {
  it("has no last step and no roles before the first step", () => {
    const { last, byRole } = visible(context([]));
    expect(last).toBeUndefined();
    expect(Object.keys(byRole)).toEqual([]);
  });

  it("counts how often a scalar field had a value", () => {
    const long = "x".repeat(65);
    const metas = [
      { phase: "A", ok: true, n: 1.5, text: long, list: [1], none: null },
      { phase: "A", ok: false, n: 1.5, text: "x".repeat(64), nan: Number.NaN },
    ];
    const { byRole } = visible(context(metas.map((meta) => step("coder", meta))));
    expect(byRole.coder?.tally).toEqual({
      phase: { A: 2 },
      ok: { true: 1, false: 1 },
      n: { "1.5": 2 },
      text: { ["x".repeat(64)]: 1 },
    });
  });

  it("reads an added step once, and the earlier ones not again", () => {
    const reads = { count: 0 };
    const steps = Array.from({ length: 50 }, () => watchedStep(reads));
    visible(context(steps));
    const first = reads.count;
    visible(context(steps));
    expect(reads.count).toBe(first);
    steps.push(step("reviewer"));
    expect(visible(context(steps)).byRole.coder?.count).toBe(50);
    expect(visible(context(steps)).byRole.reviewer?.count).toBe(1);
    expect(reads.count).toBe(first);
  });

  it("reads everything again when the array shrank or its ends are different steps", () => {
    const steps = [step("a"), step("b"), step("c")];
    expect(Object.keys(visible(context(steps)).byRole)).toEqual(["a", "b", "c"]);
    steps.pop();
    expect(Object.keys(visible(context(steps)).byRole)).toEqual(["a", "b"]);
    steps[0] = step("z");
    expect(Object.keys(visible(context(steps)).byRole)).toEqual(["z", "b"]);
    steps[1] = step("y");
    expect(visible(context(steps)).last?.role).toBe("y");
  });

  it("is the same whether the steps came one by one or all at once", () => {
    const anyStep = fc
      .record({
        role: fc.constantFrom("a", "b", "constructor", "__proto__", "toString"),
        meta: fc.dictionary(
          fc.constantFrom("x", "y", "__proto__", "constructor", "tupleStream"),
          fc.jsonValue({ maxDepth: 2 }),
        ),
      })
      .map(({ role, meta }) => step(role, meta));
    fc.assert(
      fc.property(fc.array(anyStep), (steps) => {
        const growing: ModeratorStep[] = [];
        for (const added of steps) {
          growing.push(added);
          visible(context(growing));
        }
        expect(visible(context(growing))).toEqual(visible(context([...steps])));
      }),
    );
  });

  it("treats names such as __proto__ and constructor as data and pollutes nothing", () => {
    const proto: Record<string, unknown> = JSON.parse('{"__proto__": "x", "constructor": "y"}');
    const { byRole } = visible(context([step("__proto__", proto), step("constructor", proto)]));
    const histories = new Map(Object.entries(byRole));
    expect([...histories.keys()]).toEqual(["__proto__", "constructor"]);
    expect(Object.entries(histories.get("constructor")?.tally ?? {})).toEqual([
      ["__proto__", { x: 1 }],
      ["constructor", { y: 1 }],
    ]);
    const named = visible(
      context([step("a", { name: "constructor" }), step("a", { name: "toString" })]),
    );
    expect(Object.entries(named.byRole.a?.tally.name ?? {})).toEqual([
      ["constructor", 1],
      ["toString", 1],
    ]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
