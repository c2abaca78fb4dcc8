import {
  type AgentFault,
  type Group,
  type ModeratorContext,
  type ModeratorStep,
  START,
} from "@uncaged/workflow-protocol";
import { expect, it } from "vitest";
import { evaluateResult } from "./evaluate-result.ts";
import { fillTemplate } from "./fill-template.ts";
import { openGroup, pickRoute } from "./pick-route.ts";
import type { TableRule } from "./rulebook.ts";

const step = (role: string, meta: Record<string, unknown> = {}): ModeratorStep => ({
  ...{ role, meta, contentHash: "", refs: [], timestamp: 0 },
});
const plan = step("planner", { files: ["a.ts", "b.ts", "c.ts"] });
const member = (index: number, meta: Record<string, unknown>, outcome?: AgentFault) => ({
  ...step("reviewer", meta),
  group: { name: "reviews", entry: 1, index, of: 3 },
  ...(outcome === undefined ? {} : { outcome }),
});
const context = (...steps: ModeratorStep[]): ModeratorContext => ({
  threadId: "01KAJ2Z6PVX0000000000000ZZ",
  depth: 0,
  bundleHash: "EYHPV6X8XHTCS",
  start: { role: START, content: "do it", meta: {}, timestamp: 0, parentState: null },
  steps,
});
const always = { when: null, condition: "FALLBACK" };
const table = (group: Partial<Group> = {}, rules: TableRule[] = []): TableRule[] => [
  {
    ...{ from: "planner", to: "reviews", ...always },
    group: {
      ...{ name: "reviews", each: "last.meta.files", as: "file", role: "reviewer" },
      prompt: "Review {{ file }} of {{ $count(last.meta.files) }}",
      ...group,
    } as Group,
  },
  ...rules,
  { from: "reviews", to: "planner", ...always },
];

it("has a member for each item, each with its own prompt", async () => {
  const picked = await pickRoute(table(), context(plan));
  expect(picked).toMatchObject({ from: "planner", to: "reviews", rule: 0 });
  expect(picked.members).toEqual(
    ["a.ts", "b.ts", "c.ts"].map((item) => ({
      ...{ role: "reviewer", item, prompt: `Review ${item} of 3`, location: null, agent: null },
    })),
  );
});

it.each([
  ["one value is a list of one", "'only'", ["only"]],
  ["an object is an item", "{ 'a': 1 }", [{ a: 1 }]],
])("%s", async (_what, each, items) => {
  const { members } = await pickRoute(table({ each }), context(plan));
  expect(members?.map(({ item }) => item)).toEqual(items);
});

it("hands an item to an expression that is evaluated in another process, too", async () => {
  const prompt = "{{ $reduce([file], function($a, $b) { $a & $b }) }}";
  const { members } = await pickRoute(table({ prompt }), context(plan));
  expect(members?.map((each) => each.prompt)).toEqual(["a.ts", "b.ts", "c.ts"]);
});

it("refuses more than 1,000 members, and says whose", async () => {
  await expect(pickRoute(table({ each: "[1..1001]" }), context(plan))).rejects.toThrow(
    "`each` of the group reviews returned 1001 items; a group has 1000 at most",
  );
});

it("without members has joined at once, and its rules see that", async () => {
  const empty: TableRule = {
    from: "reviews",
    to: "tester",
    when: "group.count = 0",
    condition: "none",
  };
  const picked = await pickRoute(table({ each: "[]" }, [empty]), context(plan));
  expect(picked).toMatchObject({ from: "reviews", to: "tester", rule: 0, members: null });
  expect(await fillTemplate("{{ group.name }} {{ $count(group.results) }}", picked.seen)).toBe(
    "reviews 0",
  );
});

it("that leads to itself without members is a fault of the table, not an endless loop", async () => {
  const circle: TableRule[] = [
    ...table({ each: "[]" }).slice(0, 1),
    { ...{ from: "reviews", to: "reviews", ...always }, group: table({ each: "[]" })[0]?.group },
  ].map(({ group, ...rule }) => (group === undefined ? rule : { ...rule, group }));
  await expect(pickRoute(circle, context(plan))).rejects.toThrow("from one group without members");
});

it("is the state once its members are the last steps", async () => {
  const done = context(plan, member(0, {}), member(2, {}), member(1, {}));
  expect(await pickRoute(table(), done)).toMatchObject({ from: "reviews", to: "planner" });
});

const ok = { status: "ok" };
it.each<[string, Partial<Group>, ModeratorStep[], number[] | null]>([
  ["all: while one is missing", {}, [member(1, ok), member(0, ok)], [2]],
  ["all: with all", {}, [member(1, ok), member(0, ok), member(2, ok, "timeout")], null],
  ["any: not by a failure", { join: "any" }, [member(1, {}, "timeout")], [0, 2]],
  ["any: by the first success", { join: "any" }, [member(1, {}, "timeout"), member(0, ok)], null],
  ["any: when none is left", { join: "any" }, [0, 1, 2].map((at) => member(at, {}, "auth")), null],
  ["two of them", { join: { atLeast: 2 } }, [member(1, ok)], [0, 2]],
  ["two of them", { join: { atLeast: 2 } }, [member(1, ok), member(2, ok)], null],
  ["stop: by the first failure", { onFault: "stop" }, [member(1, {}, "timeout")], null],
  ["stop: not by one that was ended", { onFault: "stop" }, [member(1, {}, "cancelled")], [0, 2]],
])("joins by its policy: %s", (_what, group, members, missing) => {
  expect(openGroup(table(group), [plan, ...members])?.missing ?? null).toEqual(missing);
});

it("that a failure stopped has the rules for that outcome tried", async () => {
  const onTimeout = { from: "reviews", to: "fixer", ...always, outcomes: ["timeout"] } as const;
  const failed = context(plan, member(1, {}, "timeout"), member(0, {}, "cancelled"));
  const collect = await pickRoute(table({}, [onTimeout]), failed);
  expect(collect.to).toBe("planner");
  expect((await pickRoute(table({ onFault: "stop" }, [onTimeout]), failed)).to).toBe("fixer");
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, at) =>
    permutations(items.toSpliced(at, 1)).map((others) => [item, ...others]),
  );
}

it("looks the same to every expression, in whatever order six members finish", async () => {
  const members = [0, 1, 2, 3, 4, 5].map((index) => ({
    ...member(index, { n: index, odd: index % 2 === 1 }, index === 4 ? "timeout" : undefined),
    ...{ role: index < 4 ? "reviewer" : "tester", group: { name: "g", entry: 1, index, of: 6 } },
  }));
  const view = `{{ group }} {{ steps }} {{ last }} {{ byRole }}`;
  const seen = new Set<string>();
  const ways = new Set<string>();
  const rules = table({}, [
    { from: "g", to: "tester", when: "last.meta.n = 5 and group.failed = 1", condition: "last" },
  ]);
  for (const order of permutations(members)) {
    // Grown one by one, as a thread grows.
    const steps: ModeratorStep[] = [plan];
    for (const each of order) {
      steps.push(each);
      await fillTemplate("{{ last.role }}", { ...context(), steps });
    }
    const { to, rule } = await pickRoute(rules, { ...context(), steps });
    const result = await evaluateResult("byRole.reviewer.metas.n", { ...context(), steps });
    seen.add(await fillTemplate(view, { ...context(), steps }));
    ways.add(JSON.stringify([to, rule, result]));
  }
  expect([...seen]).toEqual([await fillTemplate(view, context(plan, ...members))]);
  expect([...ways]).toEqual([JSON.stringify(["tester", 0, { ok: true, value: [0, 1, 2, 3] }])]);
  const facts = "{{ group.count }} {{ group.failed }} {{ byRole.reviewer.last.meta.n }}";
  expect(await fillTemplate(facts, context(plan, ...members.toReversed()))).toBe("6 1 3");
});

it("is over for expressions once another step follows, and starts again when it is entered again", async () => {
  const facts = "{{ $exists(group) }} {{ $count(group.results) }}";
  const first = [plan, member(0, ok), member(1, ok), member(2, ok)];
  expect(await fillTemplate(facts, context(...first, plan))).toBe("false 0");
  const again = { ...member(1, ok), group: { name: "reviews", entry: 5, index: 1, of: 3 } };
  expect(await fillTemplate(facts, context(...first, plan, again))).toBe("true 1");
});
