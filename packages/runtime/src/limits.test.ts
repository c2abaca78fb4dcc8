import { setTimeout as sleep } from "node:timers/promises";
import {
  type AdapterFn,
  type AgentEvent,
  type AgentFault,
  agentError,
  type EngineRuntime,
  type Limits,
  type RoleOutput,
  type RoleStep,
  START,
  type StepRun,
  type ThreadContext,
  type Transition,
  type WorkflowCompletion,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  buildDescriptor,
  createWorkflow,
  defineRole,
  defineWorkflow,
  END,
  type RoleRules,
  type WorkflowDefinition,
} from "./index.ts";
import { oneOutput } from "./one-output.test.helper.ts";

/** A turn of the scripted agent: the tokens it used, and how it failed, if it did. */
type Turn = { tokens?: number; fails?: AgentFault | Error; hangs?: true; takesMs?: number };

type Roles = { worker: { n: number }; closer: { n: number } };

function workflow(opts: {
  rules?: RoleRules;
  limits?: Limits;
  after?: Transition<keyof Roles>[];
}): WorkflowDefinition<Roles> {
  const schema = z.object({ n: z.number() });
  const role = { description: "", systemPrompt: "", schema, extractRefs: null };
  return defineWorkflow({
    description: "",
    roles: { worker: defineRole({ ...role, ...opts.rules }), closer: defineRole(role) },
    table: {
      [START]: [{ condition: "FALLBACK", role: "worker" }],
      worker: opts.after ?? [{ condition: "FALLBACK", role: "worker" }],
      closer: [],
    },
    ...(opts.limits === undefined ? {} : { limits: opts.limits }),
  });
}

function agent(turns: readonly Turn[]): AdapterFn {
  let calls = 0;
  return (_prompt, schema) => async (_ctx, runtime) => {
    const turn = turns[Math.min(calls++, turns.length - 1)] ?? {};
    const { tokens = 0, fails, hangs, takesMs = 0 } = turn;
    const run = runOf(tokens);
    if (takesMs > 0) await sleep(takesMs, undefined, { signal: runtime.signal });
    if (hangs) {
      await new Promise<void>((resolve) => {
        runtime.signal.addEventListener("abort", () => resolve());
      });
      throw agentError("cancelled", { message: "ended", hint: "", run });
    }
    if (fails instanceof Error) throw fails;
    if (fails !== undefined) throw agentError(fails, { message: `it ${fails}`, hint: "", run });
    return { meta: schema.parse({ n: calls }), childThread: null, run };
  };
}

const runOf = (tokens: number): StepRun => ({
  agent: { name: "scripted", version: "1" },
  session: null,
  prompt: null,
  startedAt: 0,
  completedAt: 1_000,
  usage: { inputTokens: tokens, outputTokens: 0, cachedInputTokens: 0, costUsd: tokens / 1_000 },
  cwd: "/",
  evidence: [],
});

async function drive(
  definition: WorkflowDefinition<Roles>,
  turns: readonly Turn[],
  opts: { steps?: RoleStep[]; limits?: Limits; most?: number } = {},
): Promise<{ outputs: RoleOutput[]; end: WorkflowCompletion | null; events: AgentEvent[] }> {
  const events: AgentEvent[] = [];
  const notHere = async (): Promise<never> => Promise.reject(new Error("not here"));
  const signal = new AbortController().signal;
  const cas = { put: async () => "", get: notHere, delete: notHere, list: notHere };
  const lent: EngineRuntime = {
    cas,
    extract: notHere,
    signal,
    directive: null,
    limits: opts.limits ?? null,
    enter: (request) => ({
      cas,
      extract: notHere,
      signal,
      step: { ...request, cwd: "/", processTag: "", home: "/nowhere", agent: null },
      emit: (event) => events.push(event),
      runChild: notHere,
      agent: notHere,
    }),
  };
  const outputs: RoleOutput[] = [];
  const generator = createWorkflow(definition, { adapter: agent(turns), overrides: null })(
    thread(opts.steps ?? []),
    lent,
  );
  let turn = await generator.next();
  while (turn.done !== true) {
    outputs.push(oneOutput(turn.value));
    if (outputs.length >= (opts.most ?? 2_000)) return { outputs, end: null, events };
    turn = await generator.next(stored(oneOutput(turn.value)));
  }
  return { outputs, end: turn.value, events };
}

const thread = (steps: RoleStep[]): ThreadContext => ({
  threadId: "01KAJ2Z6PVX0000000000000ZZ",
  depth: 0,
  bundleHash: "0000000000000",
  start: { role: START, content: "go", meta: {}, timestamp: 0, parentState: null },
  steps,
});

const stored = ({ role, meta, run, outcome }: RoleOutput): RoleStep => ({
  role,
  meta,
  contentHash: "",
  refs: [],
  timestamp: 1,
  childThread: null,
  run: run ?? null,
  ...(outcome === undefined ? {} : { outcome }),
});

const waitsFor = (end: WorkflowCompletion | null): string | undefined =>
  end !== null && "suspend" in end && end.suspend.kind === "limit"
    ? end.suspend.message
    : undefined;

describe("limits of a thread", () => {
  it("stop a workflow that runs in circles after 1,000 steps, and leave it to a person", async () => {
    const { outputs, end } = await drive(workflow({}), [{}]);
    expect(outputs).toHaveLength(1_000);
    expect(waitsFor(end)).toBe(
      "the thread has used 1000 of 1000 steps; raise the limit to continue",
    );
  });

  it.each<[Limits, string]>([
    [{ steps: 3 }, "3 of 3 steps"],
    [{ tokens: 30 }, "30 of 30 tokens"],
    [{ costUsd: 0.025 }, "$0.0300 of $0.0250"],
    [{ timeMs: 2_500 }, "3.0 s of 2.5 s of running time"],
  ])("are reached by the steps' usage: %j", async (limits, used) => {
    const { outputs, end } = await drive(workflow({ limits }), [{ tokens: 10 }]);
    expect(outputs).toHaveLength(3);
    expect(waitsFor(end)).toContain(used);
  });

  it("count the steps from before a resume, and yield to those of the thread itself", async () => {
    const steps = [1, 2].map((n) => stored({ role: "worker", meta: { n }, run: runOf(10) }));
    const resumed = await drive(workflow({ limits: { steps: 3 } }), [{}], { steps });
    expect(resumed.outputs).toHaveLength(1);
    const raised = await drive(workflow({ limits: { steps: 3 } }), [{}], {
      steps,
      limits: { steps: 5 },
    });
    expect(raised.outputs).toHaveLength(3);
  });

  it("give way to a rule for `limit`, whose route says so", async () => {
    const after: Transition<keyof Roles>[] = [
      { condition: "FALLBACK", role: "closer", outcomes: ["limit"] },
      { condition: "FALLBACK", role: "worker" },
    ];
    const { outputs, end } = await drive(workflow({ limits: { steps: 2 }, after }), [{}]);
    expect(outputs.map(({ role }) => role)).toEqual(["worker", "worker", "closer"]);
    expect(outputs.map(({ route }) => [route?.rule, route?.outcome])).toEqual([
      [0, undefined],
      [1, undefined],
      [0, "limit"],
    ]);
    expect(end).toMatchObject({ returnCode: 0 });
  });

  it("stop rules for `limit` that lead round in circles", async () => {
    const after: Transition<keyof Roles>[] = [
      { condition: "FALLBACK", role: "worker", outcomes: ["ok", "limit"] },
    ];
    const { outputs, end } = await drive(workflow({ limits: { steps: 2 }, after }), [{}]);
    expect(outputs).toHaveLength(2 + 16);
    expect(waitsFor(end)).toContain("steps");
  });

  it("stop such circles soon, whichever limit was reached first", async () => {
    const after: Transition<keyof Roles>[] = [
      { condition: "FALLBACK", role: "worker", outcomes: ["ok", "limit"] },
    ];
    const { outputs, end } = await drive(workflow({ limits: { tokens: 20 }, after }), [
      { tokens: 10 },
    ]);
    expect(outputs).toHaveLength(2 + 16);
    expect(waitsFor(end)).toContain("180 of 20 tokens");
  });

  it("leave the way out as much time as it needs", async () => {
    const after: Transition<keyof Roles>[] = [
      { condition: "FALLBACK", role: "closer", outcomes: ["limit"] },
      { condition: "FALLBACK", role: "worker" },
    ];
    const { outputs, end } = await drive(workflow({ limits: { timeMs: 1_000 }, after }), [
      {},
      { takesMs: 20 },
    ]);
    expect(outputs.map(({ role, outcome }) => [role, outcome])).toEqual([
      ["worker", undefined],
      ["closer", undefined],
    ]);
    expect(end).toMatchObject({ returnCode: 0 });
  });

  it("may be longer than a timer accepts", async () => {
    const aYearMs = 365 * 86_400_000;
    const after: Transition<keyof Roles>[] = [{ condition: "FALLBACK", role: END }];
    const { outputs } = await drive(workflow({ limits: { timeMs: aYearMs }, after }), [
      { takesMs: 20 },
    ]);
    expect(outputs[0]?.outcome).toBeUndefined();
  });

  it("apply to all attempts of a role together", async () => {
    const after: Transition<keyof Roles>[] = [
      { condition: "FALLBACK", role: "closer", outcomes: ["timeout"] },
    ];
    const rules: RoleRules = { retry: { attempts: 100, backoffMs: 1, maxBackoffMs: 1 } };
    const { outputs, events } = await drive(
      workflow({ rules, limits: { timeMs: 60 }, after }),
      [{ hangs: true }],
      { most: 1 },
    );
    expect(outputs[0]?.outcome).toBe("timeout");
    expect(events).toEqual([]);
  });

  it("do not keep a thread from its end", async () => {
    const after: Transition<keyof Roles>[] = [{ condition: "FALLBACK", role: END }];
    const { end } = await drive(workflow({ limits: { steps: 1 }, after }), [{}]);
    expect(end).toMatchObject({ returnCode: 0 });
  });
});

describe("limits of a role", () => {
  it("apply to its own runs in the thread", async () => {
    const rules = { limits: { steps: 2 } };
    const { outputs, end } = await drive(workflow({ rules }), [{}]);
    expect(outputs).toHaveLength(2);
    expect(waitsFor(end)).toContain("role worker has used 2 of 2 steps");
  });

  it("end a run that takes too long as `timeout`, with what it had used", async () => {
    const after: Transition<keyof Roles>[] = [
      { condition: "FALLBACK", role: "closer", outcomes: ["timeout"] },
    ];
    const { outputs } = await drive(workflow({ rules: { timeoutMs: 20 }, after }), [
      { hangs: true, tokens: 7 },
      {},
    ]);
    expect(outputs[0]).toMatchObject({
      outcome: "timeout",
      meta: { outcome: "timeout", reason: "role worker did not finish within 20 ms" },
      run: { usage: { inputTokens: 7 } },
    });
  });
});

describe("a role that fails", () => {
  it("fails the thread when there is no rule for that", async () => {
    const after: Transition<keyof Roles>[] = [
      { condition: "FALLBACK", role: "closer" },
      { condition: "FALLBACK", role: "closer", outcomes: ["timeout"] },
    ];
    await expect(drive(workflow({ after }), [{ fails: "denied" }])).rejects.toMatchObject({
      outcome: "denied",
      failure: { code: "AGENT_DENIED" },
    });
  });

  it("becomes a step when there is a rule for its outcome", async () => {
    const after: Transition<keyof Roles>[] = [
      {
        condition: { name: "gave up", when: "last.outcome = 'denied' and byRole.worker.count = 1" },
        role: "closer",
        outcomes: ["denied", "crashed"],
        prompt: "{{ last.meta.reason }}",
      },
    ];
    const { outputs } = await drive(workflow({ after }), [{ fails: "denied", tokens: 5 }, {}]);
    expect(outputs[0]).toMatchObject({
      role: "worker",
      outcome: "denied",
      meta: { outcome: "denied", reason: "it denied" },
      content: "AGENT_DENIED: it denied",
      run: { usage: { inputTokens: 5 } },
    });
    expect(outputs[1]?.route).toMatchObject({ condition: "gave up", prompt: "it denied" });
  });

  it("is retried where that is worth it, and its step sums up all attempts", async () => {
    const rules: RoleRules = { retry: { attempts: 2, backoffMs: 1 } };
    const { outputs, events } = await drive(
      workflow({ rules }),
      [{ fails: "rate_limited", tokens: 1 }, { fails: "crashed", tokens: 2 }, { tokens: 4 }],
      { most: 1 },
    );
    expect(outputs[0]?.run).toMatchObject({
      usage: { inputTokens: 7, costUsd: 0.007 },
      notes: ["try 1 failed: rate_limited: it rate_limited", "try 2 failed: crashed: it crashed"],
    });
    expect(events).toEqual([
      { type: "retry", reason: "rate_limited: it rate_limited", delayMs: 1 },
      { type: "retry", reason: "crashed: it crashed", delayMs: expect.toBeOneOf([1, 2]) },
    ]);
  });

  it("is not retried more often than that, nor for another reason", async () => {
    const retry = { attempts: 1, backoffMs: 1 };
    const twice = drive(workflow({ rules: { retry } }), [{ fails: "crashed" }]);
    await expect(twice).rejects.toMatchObject({ run: { usage: { inputTokens: 0 } } });
    const rules: RoleRules = { retry: { ...retry, on: ["timeout"] } };
    await expect(drive(workflow({ rules }), [{ fails: "crashed" }, {}])).rejects.toMatchObject({
      outcome: "crashed",
    });
  });

  it("is not blamed for a broken store", async () => {
    const broken = new WorkflowError({ code: "STORAGE_FAILED", message: "full", hint: "" });
    const after: Transition<keyof Roles>[] = [
      { condition: "FALLBACK", role: "closer", outcomes: ["crashed"] },
    ];
    const rules: RoleRules = { retry: { attempts: 5, backoffMs: 1 } };
    await expect(drive(workflow({ rules, after }), [{ fails: broken }, {}])).rejects.toBe(broken);
  });
});

describe("limits that limit nothing", () => {
  it("are refused, naming their places", () => {
    const rules: RoleRules = { timeoutMs: 0, retry: { attempts: -1 }, limits: { steps: 0.5 } };
    const after: Transition<keyof Roles>[] = [
      { condition: "FALLBACK", role: "closer", outcomes: [] },
    ];
    const build = () => buildDescriptor(workflow({ rules, limits: { costUsd: -1 }, after }));
    for (const place of [
      "limits.costUsd: must be an amount",
      "roles.worker.timeoutMs: must be",
      "roles.worker.retry.attempts: must be",
      "roles.worker.limits.steps: must be",
      "table.worker[0].outcomes: an empty list",
    ]) {
      expect(build).toThrow(place);
    }
  });

  it("are in the descriptor when they are valid", () => {
    const rules: RoleRules = { timeoutMs: 5, retry: { attempts: 1 }, limits: { steps: 2 } };
    const descriptor = buildDescriptor(workflow({ rules, limits: { tokens: 9 } }));
    expect(descriptor).toMatchObject({ limits: { tokens: 9 }, roles: { worker: rules } });
  });
});
