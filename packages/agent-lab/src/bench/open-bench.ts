/** A place to run one role of one thread with an adapter: a folder, a scripted model, a store in memory.
 *
 *  1. Every bench is its own thread: no session, folder or process tag is shared.
 *  2. `close` ends the model and removes the folder; a process that a step left running is reported by the step
 *     itself (`Played.left`) and ended, so that one red behaviour does not affect the next. */
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMemoryStore } from "@uncaged/workflow-cas";
import {
  type AdapterFn,
  type AgentEvent,
  type AgentOutcome,
  agentFaultOf,
  failureFrom,
  type RoleRules,
  type RoleStep,
  type StepRoute,
  type StepRun,
  type ThreadContext,
  type ToolCallRecord,
  type WorkerDesk,
} from "@uncaged/workflow-protocol";
import { stepRunSchema } from "@uncaged/workflow-protocol/schemas";
import type { AgentOptions } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import { type ModelServer, startModelServer } from "../model-server/start-model-server.ts";
import { LAB_ROLE, labRuntime } from "./lab-runtime.ts";
import { leftBehind } from "./left-behind.ts";
import { readCalls } from "./read-calls.ts";

/** Binds the agent under test to the model server at `url`. */
export type BindAgent = (url: string, options: AgentOptions) => AdapterFn;

/** The result that the lab's roles submit. */
const LAB_SCHEMA: z.ZodType<{ status: "ok" | "failed" }> = z.object({
  status: z.enum(["ok", "failed"]),
});

export type StepOrder = {
  /** The task; for a later step of the thread, the route's prompt. */
  prompt: string;
  rules?: RoleRules;
  workers?: WorkerDesk;
  options?: AgentOptions;
  /** Stops the thread, as `thread kill` does. */
  signal?: AbortSignal;
};

export type Played = {
  outcome: AgentOutcome;
  /** Why it failed; empty if it did not. */
  reason: string;
  meta: Record<string, unknown>;
  run: StepRun | null;
  events: readonly AgentEvent[];
  evidence: readonly ToolCallRecord[];
  durationMs: number;
  /** Command lines of the processes that carried the run's tag after the adapter had answered. */
  left: readonly string[];
};

export type Bench = {
  /** The role's working directory. */
  cwd: string;
  storageRoot: string;
  model: ModelServer;
  processTag: string;
  /** Makes the thread's record name another session for its last step than the real one. */
  pretendSession(session: string): void;
  /** Runs the role once more, as the next step of the thread. Never rejects. */
  play(order: StepOrder): Promise<Played>;
  /** Every step so far, for the message of a failed test. */
  history(): readonly Played[];
  close(): Promise<void>;
};

/** Limit for one step: no behaviour waits longer for an agent. */
const STEP_LIMIT_MS = 120_000;

export async function openBench(bind: BindAgent): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), "agent-lab-"));
  const cwd = join(folder, "work");
  await mkdir(cwd);
  const storageRoot = join(folder, "root");
  await mkdir(storageRoot);
  const model = await startModelServer();
  const cas = openMemoryStore();
  const processTag = `lab-${randomUUID()}:1`;
  const steps: RoleStep[] = [];
  const history: Played[] = [];
  // Programs run login shells: neither a user's profile nor their sessions are ours to wait for or to change.
  const env = { HOME: folder };
  const bound = ({ env: more, ...options }: AgentOptions) =>
    bind(model.url, { timeoutMs: STEP_LIMIT_MS, ...options, env: { ...env, ...more } });
  // One for all steps, as in a bundle: the program is looked for once.
  const usual = bound({});
  let task: string | null = null;

  async function play(order: StepOrder): Promise<Played> {
    task ??= order.prompt;
    const events: AgentEvent[] = [];
    const runtime = labRuntime({
      round: steps.length + 1,
      cwd,
      home: join(folder, "home"),
      storageRoot,
      processTag,
      previousSession: steps.findLast((step) => step.run?.session != null)?.run?.session ?? null,
      route: steps.length === 0 ? null : routeWith(order.prompt),
      rules: order.rules,
      workers: order.workers,
      signal: order.signal ?? new AbortController().signal,
      cas,
      onEvent: (event) => events.push(event),
    });
    const adapter = order.options === undefined ? usual : bound(order.options);
    const startedMs = performance.now();
    const ended = await adapter(ROLE_PROMPT, LAB_SCHEMA)(contextOf(task, steps), runtime).then(
      ({ meta, run = null }): Ending => ({ outcome: "ok", reason: "", meta, run }),
      faultOf,
    );
    const durationMs = performance.now() - startedMs;
    const left = await leftBehind(processTag);
    if (ended.run !== null) steps.push(await stepOf(ended, ended.run));
    const evidence = await readCalls(cas, ended.run?.evidence ?? []);
    const played = { ...ended, events, evidence, durationMs, left };
    history.push(played);
    return played;
  }

  async function stepOf({ outcome, meta }: Ending, run: StepRun): Promise<RoleStep> {
    return {
      role: LAB_ROLE,
      meta,
      contentHash: await cas.put(JSON.stringify(meta)),
      refs: [],
      timestamp: run.completedAt,
      childThread: null,
      run,
      ...(outcome === "ok" ? {} : { outcome }),
    };
  }

  return {
    cwd,
    storageRoot,
    model,
    processTag,
    pretendSession: (session) => {
      const last = steps.pop();
      if (last?.run == null) throw new Error("the thread has no step with a record yet");
      steps.push({ ...last, run: { ...last.run, session } });
    },
    play,
    history: () => history,
    close: async () => {
      await model.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const ROLE_PROMPT = "You do what the task says.";

const LAB_THREAD = "01KAJ2Z6PVX0000000000000ZZ";

function contextOf(task: string, steps: readonly RoleStep[]): ThreadContext {
  return {
    threadId: LAB_THREAD,
    depth: 0,
    bundleHash: "D4KP4Y6MRRVJV",
    start: { role: "__start__", content: task, meta: {}, timestamp: 0, parentState: null },
    steps: [...steps],
  };
}

/** The route of a later step carries its prompt, like an edge of the table. */
function routeWith(prompt: string): StepRoute {
  return { from: LAB_ROLE, to: LAB_ROLE, condition: "FALLBACK", rule: 0, prompt };
}

type Ending = Pick<Played, "outcome" | "reason" | "meta" | "run">;

/** An error that is not the agent's failure is an error of the lab. Known by its shape: an adapter carries its own copy
 *  of the class. */
function faultOf(thrown: unknown): Ending {
  const fault = thrown instanceof Error && "outcome" in thrown ? agentFaultOf(thrown) : null;
  if (fault === null) throw thrown;
  const { outcome, run } = fault;
  const { message: reason } = failureFrom(thrown, "AGENT_FAILED");
  return { outcome, reason, meta: { outcome, reason }, run: stepRunSchema.nullable().parse(run) };
}
