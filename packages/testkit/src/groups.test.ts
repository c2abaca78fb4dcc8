import { type AdapterFn, agentError, type Group, type RoleStep } from "@uncaged/workflow-protocol";
import { defineRole, defineWorkflow, END, START } from "@uncaged/workflow-runtime";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  answers,
  expectEveryEdge,
  expectRoute,
  fails,
  runWorkflow,
  says,
  scripted,
} from "./index.ts";

const planner = defineRole({
  description: "",
  systemPrompt: "",
  schema: z.object({ files: z.array(z.string()) }),
  extractRefs: null,
});
const reviewer = defineRole({
  description: "",
  systemPrompt: "",
  schema: z.object({ status: z.string(), file: z.string().optional() }),
  extractRefs: null,
});

type Reviews = Group<"planner" | "reviewer">;
const reviews: Reviews = {
  ...{ name: "reviews", each: "last.meta.files", as: "file", role: "reviewer" },
  prompt: "Review {{ file }}",
};
const reviewed = (group: Partial<Reviews> = {}, limits = {}) =>
  defineWorkflow({
    description: "Plans, then has every file reviewed",
    roles: { planner, reviewer },
    table: {
      [START]: [{ condition: "FALLBACK", role: "planner" }],
      planner: [{ condition: "FALLBACK", group: { ...reviews, ...group } as Reviews }],
      reviewer: [],
      reviews: [
        {
          condition: {
            name: "clean",
            when: "$count(group.results[meta.status = 'ok']) = group.of",
          },
          role: END,
        },
        { condition: { name: "slow", when: "true" }, outcomes: ["timeout"], role: END },
        { condition: { name: "limit", when: "true" }, outcomes: ["limit"], role: END },
        { condition: "FALLBACK", role: "planner", prompt: "{{ group.results.meta.status }}" },
      ],
    },
    result: "group.results.meta.file",
    limits,
  });

const plan = (...files: string[]) => ({ files });
const ok = { status: "ok" };
const timeout = () => fails("too slow", "AGENT_TIMEOUT");

describe("a group in a table", () => {
  it("runs a role for every item, and is then asked where to go", async () => {
    const seen = answers((ctx, { step }) => ({
      status: "ok",
      file: `${step.route?.prompt} of ${ctx.steps.length} as ${step.group?.item}`,
    }));
    const agents = scripted({ planner: [plan("a", "b")], reviewer: [seen, seen] });
    const run = await runWorkflow(reviewed(), { prompt: "go", agents });
    expectRoute(run, ["planner", "reviews", END]);
    expect(run.result).toEqual(["Review a of 1 as a", "Review b of 1 as b"]);
    expect(run.steps.map(({ group }) => group)).toEqual([
      undefined,
      { name: "reviews", entry: 1, index: 0, of: 2 },
      { name: "reviews", entry: 1, index: 1, of: 2 },
    ]);
  });

  it("is entered again, and left by every rule that it has", async () => {
    const again = await runWorkflow(reviewed(), {
      prompt: "go",
      agents: scripted({
        planner: [plan("a"), plan()],
        reviewer: [{ status: "bad" }],
      }),
    });
    expectRoute(again, ["planner", "reviews", "planner", END]);
    expect(again.routes[2]).toMatchObject({ from: "reviews", prompt: "bad" });
    const slow = await runWorkflow(reviewed({ onFault: "stop" }), {
      prompt: "go",
      agents: scripted({ planner: [plan("a", "b")], reviewer: [timeout(), ok] }),
    });
    expectRoute(slow, ["planner", "reviews", END]);
    const limited = await runWorkflow(reviewed({ atOnce: 1 }, { steps: 3 }), {
      prompt: "go",
      agents: scripted({ planner: [plan("a", "b", "c")], reviewer: [{ status: "bad" }, ok] }),
    });
    expectRoute(limited, ["planner", "reviews", END]);
    expect(limited.completion).toMatchObject({ route: { outcome: "limit", from: "reviews" } });
    expectEveryEdge(reviewed(), [again, slow, limited]);
  });

  it("fails the thread when a failure stops it and no rule is for that", async () => {
    const agents = scripted({
      planner: [plan("a")],
      reviewer: [fails("no key", "AGENT_AUTH")],
    });
    const run = await runWorkflow(reviewed({ onFault: "stop" }), { prompt: "go", agents });
    expect(run.failure).toMatchObject({ code: "AGENT_AUTH", message: "reviewer: no key" });
    const collected = await runWorkflow(reviewed(), {
      prompt: "go",
      agents: scripted({
        planner: [plan("a"), plan()],
        reviewer: [fails("no key", "AGENT_AUTH")],
      }),
    });
    expectRoute(collected, ["planner", "reviews", "planner", END]);
  });

  it("waits for a limit to be raised when no rule is for that, and runs the rest then", async () => {
    const definition = { ...reviewed({ atOnce: 2 }), limits: { steps: 2 } };
    const table = { ...definition.table, reviews: (definition.table.reviews ?? []).slice(0, 1) };
    const agents = scripted({ planner: [plan("a", "b")], reviewer: [ok] });
    const first = await runWorkflow({ ...definition, table }, { prompt: "go", agents });
    expect(first.completion).toMatchObject({ suspend: { kind: "limit" } });
    expect(first.steps).toHaveLength(2);
    const rest = await runWorkflow(
      { ...definition, table, limits: {} },
      { prompt: "go", steps: first.steps, agents: scripted({ reviewer: [ok] }) },
    );
    expect(rest.steps.map(({ group }) => group?.index)).toEqual([undefined, 0, 1]);
    expect(rest.completion).toMatchObject({ returnCode: 0 });
  });

  it("counts members under way for limits of steps", async () => {
    const agents = scripted({ planner: [plan("a", "b", "c", "d")], reviewer: [ok, ok] });
    const run = await runWorkflow(reviewed({ atOnce: 4 }, { steps: 3 }), { prompt: "go", agents });
    expect(run.steps).toHaveLength(3);
  });

  it("gives members their own sessions, or that of their role one after the other", async () => {
    const sessions: (string | null)[] = [];
    const adapter: AdapterFn =
      (_prompt, schema) =>
      async (_ctx, { step }) => {
        sessions.push(step.previousSession);
        const said = step.role === "planner" ? plan("a", "b") : ok;
        const run = {
          ...{ agent: { name: "s", version: "1" }, session: `s${sessions.length}`, prompt: null },
          ...{ startedAt: 0, completedAt: 1, usage: null, cwd: "/", evidence: [] },
        };
        return { meta: schema.parse(said), childThread: null, run };
      };
    await runWorkflow(reviewed(), { prompt: "go", agents: adapter });
    expect(sessions).toEqual([null, null, null]);
    sessions.length = 0;
    const shared = reviewed({ session: "role", atOnce: 1 });
    await runWorkflow(shared, { prompt: "go", agents: adapter });
    expect(sessions).toEqual([null, null, "s2"]);
  });

  it("may have members of several roles", async () => {
    const definition = defineWorkflow({
      description: "",
      roles: { planner, reviewer },
      table: {
        [START]: [
          {
            condition: "FALLBACK",
            group: {
              name: "both",
              members: [{ role: "planner" }, { role: "reviewer", prompt: "p" }],
            },
          },
        ],
        planner: [],
        reviewer: [],
        both: [{ condition: "FALLBACK", role: END }],
      },
      result: "byRole.planner.last.meta.files & group.results[1].meta.status",
    });
    const agents = scripted({ planner: [plan("a")], reviewer: [ok] });
    const run = await runWorkflow(definition, { prompt: "go", agents });
    expectRoute(run, ["both", END]);
    expect(run.result).toBe('["a"]ok');
  });
});

/** Finishes members in the given order. */
function finishing(order: readonly number[]): AdapterFn {
  const gates = order.map(() => Promise.withResolvers<void>());
  let begun = 0;
  let finished = 0;
  const next = (): void => gates[order[finished++] ?? -1]?.resolve();
  return (_prompt, schema) =>
    async (_ctx, { step }) => {
      if (step.group === undefined) {
        return { meta: schema.parse(plan(...order.map(String))), childThread: null };
      }
      begun += 1;
      if (begun === order.length) next();
      await gates[step.group.index]?.promise;
      setImmediate(next);
      const { index } = step.group;
      if (index === 4) throw agentError("timeout", { message: "slow", hint: "", run: null });
      return { meta: schema.parse({ status: "ok", file: String(index) }), childThread: null };
    };
}

function permutations(items: readonly number[]): number[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, at) =>
    permutations(items.toSpliced(at, 1)).map((others) => [item, ...others]),
  );
}

it("takes the same route to the same result, whatever the order in which six members finish", async () => {
  const definition = reviewed({ atOnce: 6 });
  const table = {
    ...definition.table,
    reviews: [
      {
        condition: { name: "ok", when: "last.meta.file = '5' and group.failed = 1" },
        role: END as typeof END,
        prompt: "{{ steps.meta.file }} {{ byRole.reviewer.metas }} {{ group.results.outcome }}",
      },
    ],
  };
  // The moderator's own test tries all 720.
  const someOrders = permutations([0, 1, 2, 3, 4, 5]).filter((_, at) => at % 24 === 0);
  const runs = await Promise.all(
    someOrders.map(async (order) => {
      const agents = finishing(order);
      const run = await runWorkflow({ ...definition, table }, { prompt: "go", agents });
      const inChain = run.steps.map(({ group }: RoleStep) => group?.index);
      expect(inChain.slice(1)).toEqual(order);
      return JSON.stringify([run.routes, run.result]);
    }),
  );
  expect(runs).toHaveLength(30);
  expect(new Set(runs).size).toBe(1);
  expect(JSON.parse(runs[0] ?? "")[1]).toEqual(["0", "1", "2", "3", "5"]);
});

it("scripts say more than a meta of members, too", async () => {
  const agents = scripted({ planner: [plan("a")], reviewer: [says(ok, { content: "fine" })] });
  const run = await runWorkflow(reviewed(), { prompt: "go", agents });
  expect(await run.cas.get(run.steps[1]?.contentHash ?? "")).toContain("fine");
});
