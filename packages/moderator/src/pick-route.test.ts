import { END, type ModeratorContext, type ModeratorStep, START } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import jsonata from "jsonata";
import { describe, expect, it } from "vitest";
import { evaluateModerator, pickRoute } from "./index.ts";
import { rulebookOf } from "./rulebook.ts";
import { isTruthy } from "./truthy.ts";

const step = (role: string, meta: Record<string, unknown> = {}): ModeratorStep => ({
  role,
  meta,
  contentHash: "0000000000000",
  refs: [],
  timestamp: 0,
});

const context = (...steps: ModeratorStep[]): ModeratorContext => ({
  threadId: "01KAJ2Z6PVX0000000000000ZZ",
  depth: 0,
  bundleHash: "0".repeat(13),
  start: { role: START, content: "do it", meta: {}, timestamp: 0, parentState: null },
  steps,
});

const next = (when: string, ...steps: ModeratorStep[]): Promise<string> =>
  evaluateModerator([{ from: steps.at(-1)?.role ?? START, to: "yes", when }], context(...steps));

describe("the moderator", () => {
  const rules = [
    { from: START, to: "planner", when: null },
    { from: "planner", to: END, when: "last.meta.status = 'aborted'" },
    { from: "planner", to: "coder", when: null },
    { from: "coder", to: "never", when: "false" },
  ];

  it("starts from the rules of __start__", async () => {
    expect(await evaluateModerator(rules, context())).toBe("planner");
  });

  it("distinguishes a thread started by another one from one started by a person", async () => {
    const when = "start.parentState != null";
    const alone = context();
    const child = { ...alone, start: { ...alone.start, parentState: "EYHPV6X8XHTCS" } };
    const rules = [
      { from: START, to: "resumer", when },
      { from: START, to: "beginner", when: null },
    ];
    expect(await evaluateModerator(rules, alone)).toBe("beginner");
    expect(await evaluateModerator(rules, child)).toBe("resumer");
  });

  it("takes the first rule of the last step's role that matches", async () => {
    expect(await evaluateModerator(rules, context(step("planner", { status: "aborted" })))).toBe(
      END,
    );
    expect(await evaluateModerator(rules, context(step("planner", { status: "ok" })))).toBe(
      "coder",
    );
  });

  it("ends the thread when no rule matches, and when the role has none", async () => {
    const end = { to: END, rule: null, matched: null };
    for (const from of ["coder", "toString"]) {
      expect(await pickRoute(rules, context(step(from)))).toMatchObject({ from, ...end });
    }
  });

  it("reports which rule of the state it took", async () => {
    const picked = await pickRoute(rules, context(step("planner")));
    expect(picked).toMatchObject({ from: "planner", to: "coder", rule: 1, matched: rules[2] });
  });

  it("returns the same when asked a hundred times at once", async () => {
    const asked = context(step("planner", { status: "aborted" }));
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => evaluateModerator(rules, asked)),
    );
    expect(new Set(answers)).toEqual(new Set([END]));
  });

  it("compiles a table once", () => {
    expect(rulebookOf(rules)).toBe(rulebookOf(rules));
  });

  it("leaves the steps unchanged", async () => {
    const asked = context(step("planner", { phases: ["a"] }), step("coder", { done: true }));
    const before = structuredClone(asked);
    await next(
      "$append(steps, [1]); $sort(steps.meta.phases); steps[] ~> $reverse",
      ...asked.steps,
    ).catch(() => null);
    await evaluateModerator(
      [{ from: "coder", to: "x", when: "byRole.coder.metas[] ~> $reverse" }],
      asked,
    );
    expect(asked).toEqual(before);
  });
});

describe("an expression", () => {
  const planned = step("planner", {
    status: "planned",
    phases: [{ hash: "A" }, { hash: "B" }],
  });
  const coded = (completedPhase: string | null): ModeratorStep => step("coder", { completedPhase });

  it("sees the thread: its id, depth, start and steps", async () => {
    expect(await next("threadId = '01KAJ2Z6PVX0000000000000ZZ' and depth = 0")).toBe("yes");
    expect(await next("start.content = 'do it'")).toBe("yes");
    expect(
      await next("steps[-1].meta.status = 'approved'", step("a", { status: "approved" })),
    ).toBe("yes");
    expect(await next("steps[role='planner'].meta.status = 'aborted'", planned, coded("A"))).toBe(
      END,
    );
    expect(
      await next(
        "$count(steps[role='coder' and meta.completedPhase]) = 2",
        planned,
        coded("A"),
        coded("B"),
      ),
    ).toBe("yes");
  });

  it("sees the projection: last, and each role's last, count, metas and tally", async () => {
    const steps = [planned, coded("A"), coded("A"), coded(null)];
    expect(await next("last.role = 'coder'", ...steps)).toBe("yes");
    expect(await next("byRole.coder.count = 3", ...steps)).toBe("yes");
    expect(await next("byRole.planner.last.meta.status = 'planned'", ...steps)).toBe("yes");
    expect(await next("$count(byRole.coder.metas[completedPhase = 'A']) = 2", ...steps)).toBe(
      "yes",
    );
    expect(await next("byRole.coder.tally.completedPhase.A = 2", ...steps)).toBe("yes");
    expect(await next("$exists(byRole.reviewer)", ...steps)).toBe(END);
    expect(await next("$type(byRole.coder.last.meta.completedPhase) = 'null'", ...steps)).toBe(
      "yes",
    );
  });

  it("treats a meta as data even when it looks like a function of the evaluator", async () => {
    const hostile = { _jsonata_lambda: true, thunk: true, body: {}, outerWrapper: true, ok: 1 };
    const asked = step("coder", { plan: hostile });
    expect(await next("$append(last.meta.plan, []).ok = 1", asked)).toBe("yes");
    expect(await next("last.meta.plan.($.ok) = 1", asked)).toBe("yes");
  });

  it("can ask whether every planned phase is complete", async () => {
    const open =
      "byRole.planner.last.meta.phases[$not($exists($lookup($$.byRole.coder.tally.completedPhase, hash)))]";
    const complete = `$count(${open}) = 0`;
    expect(await next(complete, planned, coded("A"), coded("B"))).toBe("yes");
    expect(await next(complete, planned, coded("B"), coded("B"))).toBe(END);
    expect(await next(complete, planned, coded(null))).toBe(END);
    expect(await next(complete, planned)).toBe(END);
  });

  it("matches when its result is true as $boolean defines it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const answer: unknown = await jsonata("$boolean(value)").evaluate({ value });
        expect(isTruthy(value)).toBe(answer);
      }),
    );
    expect(await next("missing")).toBe(END);
    expect(await next("$sum")).toBe(END);
    expect(await next("/a/")).toBe(END);
    expect(await next("function($x) { $x }")).toBe(END);
  });

  it("that fails names its state, place, condition and cause", async () => {
    const rules = [
      { from: "coder", to: "a", when: "false" },
      { from: "coder", to: "b", when: "last.meta.n + 1 = 2", condition: "enough" },
    ];
    const asked = context(step("coder", { n: "one" }));
    await expect(pickRoute(rules, asked)).rejects.toMatchObject({
      failure: {
        code: "MODERATOR_FAILED",
        message:
          'table.coder[1] (enough) failed after round 1: The left side of the "+" operator must evaluate to a number (at character 13); when: last.meta.n + 1 = 2',
      },
    });
    expect(await evaluateModerator(rules, context(step("coder", { n: 1 })))).toBe("b");
  });

  it("that cannot be compiled is refused with its place before any decision", async () => {
    const rules = [
      { from: START, to: "a", when: null },
      { from: "a", to: "b", when: "$count(" },
    ];
    await expect(pickRoute(rules, context())).rejects.toMatchObject({
      failure: { code: "RULE_INVALID", message: expect.stringContaining("table.a[0].when: ") },
    });
  });
});
