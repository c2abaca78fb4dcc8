import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  agentError,
  END,
  type EngineRuntime,
  failure,
  type LiveEvent,
  NO_LIMITS,
  type RoleOutput,
  type RoleStep,
  type StepRun,
  type ThreadContext,
  type WorkflowCompletion,
  WorkflowError,
  type WorkflowFn,
  type YieldAnswer,
} from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadChain, roleStates } from "../chain/chain.ts";
import { readNode } from "../chain/read-node.ts";
import { type ExecuteOptions, ownedThread } from "../testing/leased-thread.test.helper.ts";
import type { RunOutcome } from "./execute-thread.ts";

/** The end of a thread is written to history files. */
let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "execute-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const done: WorkflowCompletion = { returnCode: 0, summary: "all done" };

function workflowOf(
  outputs: readonly RoleOutput[],
  completion: WorkflowCompletion = done,
): WorkflowFn {
  return async function* (ctx: ThreadContext) {
    for (const output of outputs.slice(ctx.steps.length)) yield output;
    return completion;
  };
}

const says = (role: string, meta: Record<string, unknown> = {}): RoleOutput => ({ role, meta });

/** A bundle is JavaScript: what it yields may not match its types. */
function untyped(output: unknown): RoleOutput {
  return output as RoleOutput;
}

async function run(
  workflow: WorkflowFn,
  opts: ExecuteOptions = {},
): Promise<{ outcome: RunOutcome; owned: Awaited<ReturnType<typeof ownedThread>> }> {
  const owned = await ownedThread(root);
  const outcome = await owned.execute(workflow, opts);
  return { outcome, owned };
}

const stepIn = (answer: YieldAnswer): RoleStep | undefined =>
  Array.isArray(answer) ? undefined : answer;

describe("executeThread", () => {
  it("stores every output as a step and ends with the workflow's own summary", async () => {
    const { outcome, owned } = await run(
      workflowOf([says("coder", { n: 1 }), says("tester", { n: 2 })]),
    );
    expect(outcome).toMatchObject({ status: "completed", returnCode: 0, summary: "all done" });
    const thread = await owned.record();
    expect(thread).toMatchObject({ status: "completed", returnCode: 0, stepCount: 2 });
    const chain = await loadChain(owned.engine.cas, thread);
    expect(chain.states.map(({ node }) => [node.payload.role, node.payload.meta])).toEqual([
      ["coder", { n: 1 }],
      ["tester", { n: 2 }],
      [END, { returnCode: 0, summary: "all done" }],
    ]);
  });

  it("answers each output with the stored step", async () => {
    const answers: (RoleStep | undefined)[] = [];
    await run(async function* () {
      answers.push(stepIn(yield says("coder", { n: 1 })));
      return done;
    });
    expect(answers[0]).toMatchObject({ role: "coder", meta: { n: 1 }, refs: [], run: null });
    expect(answers[0]?.contentHash).toMatch(/^[0-9A-F]/);
  });

  it("says in the summary of a failed thread what to do next", async () => {
    const { outcome } = await run(async function* () {
      yield says("coder");
      throw new WorkflowError(failure("AGENT_FAILED", "scribe is not installed", "npm i scribe"));
    });
    expect(outcome).toMatchObject({
      status: "failed",
      summary: "AGENT_FAILED: scribe is not installed\nhint: npm i scribe",
    });
  });

  it("ends a thread as failed when the workflow throws, and keeps the whole chain of causes", async () => {
    const cause = new WorkflowError(failure("INVALID_OUTPUT", "role coder: no meta", ""), {
      cause: new Error("the root of it"),
    });
    const { outcome, owned } = await run(async function* () {
      yield says("coder");
      throw cause;
    });
    expect(outcome).toMatchObject({
      status: "failed",
      returnCode: 1,
      summary: "INVALID_OUTPUT: role coder: no meta",
    });
    const thread = await owned.record();
    expect(thread).toMatchObject({ status: "failed", returnCode: 1, stepCount: 1 });
    expect(await owned.contentOf(thread.head)).toContain("the root of it");
  });

  it.each([
    ["a role the descriptor does not have", { role: "stranger", meta: {} }],
    ["a meta that is not JSON", { role: "coder", meta: { at: new Date(0) } }],
    ["an artifact that is not a hash", { role: "coder", meta: {}, refs: ["../../etc/passwd"] }],
    ["an artifact that is not stored", { role: "coder", meta: {}, refs: ["EYHPV6X8XHTCS"] }],
    ["an output that is no object", 42],
  ])("fails the thread for %s, and stores no step", async (_name, output) => {
    const { outcome, owned } = await run(async function* () {
      yield untyped(output);
      return done;
    });
    expect(outcome).toMatchObject({ status: "failed" });
    expect(await owned.record()).toMatchObject({ stepCount: 0 });
  });

  it("does not end the thread when its own storage fails: the step never happened", async () => {
    const owned = await ownedThread(root);
    const { head } = await owned.record();
    owned.breakCas(new WorkflowError(failure("STORAGE_FAILED", "no space left on device", "")));
    await expect(owned.execute(workflowOf([says("coder")]), {})).rejects.toThrow("no space left");
    expect(await owned.record()).toMatchObject({ head, stepCount: 0, status: "running" });
  });

  it.each([
    ["STORAGE_FAILED", false],
    ["LEASE_LOST", false],
    ["AGENT_FAILED", true],
  ] as const)(
    "a coordinating step that throws %s: its workers are ended, %s",
    async (code, isOver) => {
      const owned = await ownedThread(root);
      const ends: boolean[] = [];
      const ran = owned.execute(
        async function* () {
          yield says("coder");
          throw new WorkflowError(failure(code, "a note could not be written", ""));
        },
        {
          endCoordination: async ({ endsWorkers }) => {
            ends.push(endsWorkers);
            return null;
          },
        },
      );
      await ran.catch(() => undefined);
      expect(ends).toEqual([true, isOver]);
    },
  );

  it("stops after the steps it may make", async () => {
    const { outcome, owned } = await run(workflowOf([says("coder"), says("tester")]), {
      maxSteps: 1,
    });
    expect(outcome).toEqual({ status: "idle" });
    expect(await owned.record()).toMatchObject({ status: "idle", stepCount: 1 });
  });

  it("stops at the gate after the step in which it was closed", async () => {
    const owned = await ownedThread(root);
    const outcome = await owned.execute(async function* () {
      await owned.engine.store.signal(owned.threadId, "pause", 0);
      yield says("coder");
      throw new Error("must not be asked again");
    });
    expect(outcome).toEqual({ status: "paused" });
    expect(await owned.record()).toMatchObject({ status: "paused", stepCount: 1 });
  });

  it("stops at a gate that is closed during the last step it may make, or before a stop", async () => {
    const abort = new AbortController();
    for (const opts of [{ maxSteps: 1 }, { signal: abort.signal }]) {
      const owned = await ownedThread(root);
      const outcome = await owned.execute(async function* () {
        await owned.engine.store.signal(owned.threadId, "pause", 0);
        if ("signal" in opts) abort.abort("stop");
        yield says("coder");
        throw new Error("must not be asked again");
      }, opts);
      expect(outcome).toEqual({ status: "paused" });
      expect(await owned.record()).toMatchObject({ status: "paused", stepCount: 1 });
    }
  });

  it("continues when the gate was opened again before it got there", async () => {
    const owned = await ownedThread(root);
    const outcome = await owned.execute(async function* () {
      await owned.engine.store.signal(owned.threadId, "pause", 0);
      await owned.engine.store.clearSignal(owned.threadId, "pause");
      yield says("coder");
      return done;
    });
    expect(outcome).toMatchObject({ status: "completed" });
  });

  it("keeps a step that finishes while a stop arrives, and is idle afterwards", async () => {
    const abort = new AbortController();
    const { outcome, owned } = await run(
      async function* () {
        abort.abort("stop");
        yield says("coder");
        throw new Error("must not be asked again");
      },
      { signal: abort.signal },
    );
    expect(outcome).toEqual({ status: "idle" });
    expect(await owned.record()).toMatchObject({ status: "idle", stepCount: 1 });
  });

  it("aborts with return code 130 when it is killed in the middle of a step", async () => {
    const abort = new AbortController();
    const { outcome, owned } = await run(
      async function* (_ctx: ThreadContext, runtime: EngineRuntime) {
        yield says("coder");
        queueMicrotask(() => abort.abort("kill"));
        await new Promise((_resolve, reject) =>
          runtime.signal.addEventListener("abort", () => reject(new Error("ended"))),
        );
        return done;
      },
      { signal: abort.signal },
    );
    expect(outcome).toMatchObject({ status: "aborted", returnCode: 130 });
    expect(await owned.record()).toMatchObject({
      status: "aborted",
      returnCode: 130,
      stepCount: 1,
    });
  });

  it("releases the lease and asks the question when the workflow suspends", async () => {
    const { outcome, owned } = await run(
      workflowOf([says("coder")], { suspend: { role: "coder", message: "Which one?" } }),
    );
    expect(outcome).toEqual({ status: "suspended" });
    expect(await owned.record()).toMatchObject({
      status: "suspended",
      waits: [{ role: "coder", message: "Which one?" }],
    });
  });

  it("writes nothing once another owner has the thread", async () => {
    const owned = await ownedThread(root);
    await expect(
      owned.execute(async function* () {
        await owned.loseLease();
        yield says("coder");
        return done;
      }),
    ).rejects.toMatchObject({ failure: { code: "LEASE_LOST" } });
    expect(await owned.record()).toMatchObject({ stepCount: 0 });
  });

  it("takes a return code of the workflow's own as its outcome", async () => {
    expect((await run(workflowOf([], { returnCode: 3, summary: "no" }))).outcome).toMatchObject({
      status: "failed",
      returnCode: 3,
    });
  });

  it("tells watchers of each step and of the end", async () => {
    const events: LiveEvent[] = [];
    await run(workflowOf([says("coder")]), { emit: (event) => events.push(event) });
    expect(events.map((event) => event.type)).toEqual(["step_completed", "status"]);
  });

  it("makes skip lists that name the ancestors at distances 1, 2, 4 …", async () => {
    const { owned } = await run(
      workflowOf(Array.from({ length: 9 }, (_unused, n) => says("coder", { n }))),
    );
    const chain = await loadChain(owned.engine.cas, await owned.record());
    const hashes = roleStates(chain).map((state) => state.hash);
    expect(chain.states[8]?.node.payload.ancestors).toEqual([
      hashes[7],
      hashes[6],
      hashes[4],
      hashes[0],
    ]);
  });

  it("asks the supervisor before each step, and ends as aborted with its reason when it objects", async () => {
    const asked: number[] = [];
    const { outcome, owned } = await run(
      workflowOf([says("coder"), says("coder"), says("coder")]),
      {
        supervise: async (states) => {
          asked.push(states.length);
          return states.length === 2 ? "it runs in circles" : null;
        },
      },
    );
    expect(asked).toEqual([0, 1, 2]);
    const summary = "supervisor: it runs in circles";
    expect(outcome).toMatchObject({ status: "aborted", returnCode: 130, summary });
    const thread = await owned.record();
    expect(thread).toMatchObject({ status: "aborted", stepCount: 2, summary });
    expect(await owned.contentOf(thread.head)).toBe(summary);
  });

  it("calls no supervisor when the thread stops", async () => {
    const asked: number[] = [];
    const supervise = async (states: readonly string[]): Promise<null> => {
      asked.push(states.length);
      return null;
    };
    await run(workflowOf([says("coder"), says("coder")]), { maxSteps: 1, supervise });
    expect(asked).toEqual([0]);
  });

  it("starts no step when it was stopped while the supervisor looked", async () => {
    const abort = new AbortController();
    const { outcome, owned } = await run(workflowOf([says("coder")]), {
      signal: abort.signal,
      supervise: async () => {
        abort.abort("stop");
        return null;
      },
    });
    expect(outcome).toEqual({ status: "idle" });
    expect(await owned.record()).toMatchObject({ stepCount: 0 });
  });

  it("ends with the summarizer's summary, and with the workflow's own when it did not succeed", async () => {
    const summarize = async (states: readonly string[], own: string): Promise<string> =>
      `${states.length} steps, then ${own}`;
    const { outcome } = await run(workflowOf([says("coder")]), { summarize });
    expect(outcome).toMatchObject({ status: "completed", summary: "1 steps, then all done" });
    const { outcome: failed } = await run(workflowOf([], { returnCode: 1, summary: "no" }), {
      summarize,
    });
    expect(failed).toMatchObject({ status: "failed", summary: "no" });
  });

  it("adds what extraction cost to the record of the step that it was for", async () => {
    const usage = { inputTokens: 10, outputTokens: 2, cachedInputTokens: 0, costUsd: 0.5 };
    const record: StepRun = {
      agent: { name: "prose", version: "1" },
      session: null,
      prompt: null,
      startedAt: 1,
      completedAt: 2,
      usage,
      notes: ["as it was"],
      cwd: "/",
      evidence: [],
    };
    const costs = [{ ...usage, costUsd: null }, null];
    const answers: (RoleStep | undefined)[] = [];
    const owned = await ownedThread(root);
    await owned.execute(
      async function* () {
        answers.push(stepIn(yield { role: "coder", meta: {}, run: record }));
        answers.push(stepIn(yield { role: "coder", meta: {}, run: record }));
        return done;
      },
      {
        costs: { extraction: () => costs.shift() ?? null, watching: () => null, lost: () => null },
      },
    );
    expect(answers.map((answer) => answer?.run)).toEqual([
      {
        ...record,
        usage: { inputTokens: 20, outputTokens: 4, cachedInputTokens: 0, costUsd: 0.5 },
        notes: ["as it was", "the usage includes extraction by a model"],
      },
      record,
    ]);
    const all = { inputTokens: 30, outputTokens: 6, cachedInputTokens: 0, costUsd: 1 };
    expect(await owned.record()).toMatchObject({ usage: all });
    const books = await owned.engine.store.spent({ by: "agent" });
    expect(books).toEqual([{ key: "prose", runs: 2, usage: all }]);
  });

  it("adds what extraction cost to the end of a thread that failed by it", async () => {
    const usage = { inputTokens: 10, outputTokens: 2, cachedInputTokens: 0, costUsd: 0.5 };
    const record: StepRun = {
      agent: { name: "prose", version: "1" },
      session: null,
      prompt: null,
      startedAt: 1,
      completedAt: 2,
      usage,
      cwd: "/",
      evidence: [],
    };
    const { owned } = await run(
      async function* () {
        yield says("coder");
        throw agentError("invalid_output", { message: "no JSON", hint: "", run: record });
      },
      {
        costs: {
          extraction: () => ({ ...usage, costUsd: 0.25 }),
          watching: () => null,
          lost: () => null,
        },
      },
    );
    const { head } = await owned.record();
    const { payload } = await readNode(owned.engine.cas, head, "state");
    expect(payload).toMatchObject({
      role: END,
      usage: { inputTokens: 20, costUsd: 0.75 },
      notes: ["the usage includes extraction by a model"],
    });
  });
});

describe("the budget of the day", () => {
  const NOON_MS = Date.UTC(2026, 10, 22, 11);
  const MIDNIGHT_MS = NOON_MS + 12 * 3_600_000;
  const usage = { inputTokens: 60, outputTokens: 0, cachedInputTokens: 0, costUsd: null };
  const costly = (role: string): RoleOutput => ({
    role,
    meta: {},
    run: {
      ...{ agent: { name: "echo", version: "1" }, session: null, prompt: null, cwd: "/" },
      ...{ startedAt: 1, completedAt: 2, evidence: [], usage },
    },
  });

  it("that is reached at noon has a thread rest until midnight, and then go on", async () => {
    const owned = await ownedThread(root);
    let nowMs = NOON_MS;
    owned.engine.now = () => nowMs;
    const budgetPerDay = { tokens: 100, costUsd: null, zone: "Europe/Zurich" };
    await owned.engine.dispatch.limit({ ...NO_LIMITS, budgetPerDay });
    const workflow = workflowOf(["coder", "tester", "coder"].map(costly));
    expect(await owned.execute(workflow)).toEqual({ status: "queued" });
    expect(await owned.record()).toMatchObject({
      status: "queued",
      stepCount: 2,
      queue: { since: NOON_MS, for: ["budget"], notBefore: MIDNIGHT_MS },
    });
    const { dispatch } = owned.engine;
    expect(await dispatch.next({ besides: [], nowMs: MIDNIGHT_MS - 1 })).toEqual([]);
    expect(await dispatch.next({ besides: [], nowMs: MIDNIGHT_MS })).toEqual([owned.threadId]);
    nowMs = MIDNIGHT_MS;
    expect(await owned.execute(workflow)).toMatchObject({ status: "completed" });
    expect((await owned.record()).stepCount).toBe(3);
  });

  it("does not keep a thread from ending when only its end is left", async () => {
    const owned = await ownedThread(root);
    const budgetPerDay = { tokens: 1, costUsd: null, zone: "UTC" };
    await owned.engine.dispatch.limit({ ...NO_LIMITS, budgetPerDay });
    const outcome = await owned.execute(workflowOf([costly("coder")]), {
      noAgentNext: async (steps) => steps.length === 1,
    });
    expect(outcome).toMatchObject({ status: "completed" });
  });
});

describe("a thread that is to go on elsewhere", () => {
  const handedOver = () => {
    const [soon, now] = [new AbortController(), new AbortController()];
    return { soon, now, signals: { soon: soon.signal, now: now.signal } };
  };

  it("is queued after the step under way, and goes on from there", async () => {
    const owned = await ownedThread(root);
    const { soon, signals } = handedOver();
    const workflow = workflowOf(["coder", "tester", "coder"].map((role) => says(role)));
    const emit = ({ type }: { type: string }): void => {
      if (type === "step_completed") soon.abort();
    };
    expect(await owned.execute(workflow, { emit, handOver: signals })).toEqual({
      status: "queued",
    });
    expect(await owned.record()).toMatchObject({
      stepCount: 1,
      queue: { for: [], notBefore: null },
    });
    expect(await owned.execute(workflow)).toMatchObject({ status: "completed" });
    expect((await owned.record()).stepCount).toBe(3);
  });

  it("ends all the same when only its end is left", async () => {
    const owned = await ownedThread(root);
    const { soon, signals } = handedOver();
    soon.abort();
    const outcome = await owned.execute(workflowOf([]), {
      handOver: signals,
      noAgentNext: async () => true,
    });
    expect(outcome).toMatchObject({ status: "completed" });
  });

  it("gives up its step at once when there is no time left", async () => {
    const owned = await ownedThread(root);
    const { now, signals } = handedOver();
    // biome-ignore lint/correctness/useYield: its role is ended before it has an output.
    const ended: WorkflowFn = async function* () {
      now.abort();
      throw new Error("ended");
    };
    expect(await owned.execute(ended, { handOver: signals })).toEqual({ status: "queued" });
    expect(await owned.record()).toMatchObject({ status: "queued", stepCount: 0 });
  });
});
