/** Runs a definition to its end in memory: no store, no process, no model, no clock (a step's timestamp is
 *  its round). */
import { evaluateResult } from "@uncaged/workflow-moderator";
import {
  type AdapterBinding,
  type AdapterFn,
  type CasStore,
  type Failure,
  failure,
  failureFrom,
  type JsonValue,
  type RoleMeta,
  type RoleOutput,
  type RoleStep,
  START,
  type StepDirective,
  type StepGroup,
  type StepRequest,
  type StepRoute,
  stepsBeforeGroup,
  type ThreadContext,
  type WorkflowCompletion,
  type WorkflowDefinition,
  WorkflowError,
  type WorkflowFn,
  yieldedGroup,
  yieldedOutput,
} from "@uncaged/workflow-protocol";
import { createWorkflow } from "@uncaged/workflow-runtime";
import { keepOutput } from "./keep-output.ts";
import { memoryCas } from "./memory-cas.ts";
import { type Children, type MemoryRuntime, memoryRuntime } from "./memory-runtime.ts";
import { type GroupRun, runGroup } from "./run-group.ts";
import { type People, personStep, type ScriptedPeople, scriptedPeople } from "./scripted-people.ts";

export type RunOptions<M extends RoleMeta = RoleMeta> = {
  prompt: string;
  /** An adapter for every role, or a whole binding. */
  agents: AdapterFn | AdapterBinding<M>;
  /** Earlier steps, as after a crash; see `pastStep`. */
  steps?: readonly RoleStep[];
  /** How the workflows end that roles run as child threads, by name. */
  children?: Children;
  /** What people answer to the run's questions, in order. A question without an answer ends the run. */
  answers?: readonly string[];
  /** What people answer who play roles, in order, by role; `"timeout"`: nobody answers in time. A person without an
   *  answer ends the run. */
  people?: People<M>;
  /** A run with more steps fails, because its table goes in circles. Default 100. */
  maxSteps?: number;
  signal?: AbortSignal;
};

export type RunResult = {
  /** Where the moderator sent the thread, step by step; ends with `END` or `SUSPEND` unless the run failed. An
   *  answered question is a `SUSPEND` followed by the role that had asked; a run that waits for a person ends with the
   *  person's role. */
  route: string[];
  /** The same with the rules that were taken and the filled-in edge prompts. */
  routes: StepRoute[];
  /** What every role was called with: round, location, previous session. */
  requests: readonly StepRequest[];
  /** All steps, the given ones first. */
  steps: readonly RoleStep[];
  cas: CasStore;
  /** What the workflow returns, by its `result`; left out when it has none, or the run did not end. */
  result?: JsonValue;
  /** How the run ended; null when it failed. */
  completion: WorkflowCompletion | null;
  /** Why the run failed; null when it did not. */
  failure: Failure | null;
};

/** Does not reject because of the agents or the rules: that is the result's `failure`. Throws `RULE_INVALID` for a
 *  broken definition. */
export async function runWorkflow<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
  options: RunOptions<NoInfer<M>>,
): Promise<RunResult> {
  const { agents } = options;
  const binding = typeof agents === "function" ? { adapter: agents, overrides: null } : agents;
  const workflow = createWorkflow(definition, binding);
  const cas = memoryCas();
  const signal = options.signal ?? new AbortController().signal;
  const runtime = memoryRuntime({ cas, signal, children: options.children ?? {} });
  const ctx = newThread(options);
  const { maxSteps = 100, answers = [] } = options;
  const people = scriptedPeople(definition, options.people ?? {});
  const thread = { ctx, runtime, maxSteps, answers: [...answers] };
  const ending = await drive(workflow, { ...thread, people });
  const { requests, routes } = runtime;
  const route = routes.map(({ to }) => to);
  const run = { route, routes, requests, steps: ctx.steps, cas };
  const ended = ending.completion !== null && "returnCode" in ending.completion;
  if (!ended || definition.result === undefined) return { ...run, ...ending };
  const result = await evaluateResult(definition.result, ctx);
  return result.ok
    ? { ...run, ...ending, result: result.value }
    : { ...run, completion: null, failure: result.error };
}

/** A step for `RunOptions.steps`: what a role returned in an earlier run. */
export function pastStep(
  role: string,
  meta: Record<string, unknown>,
  more: Partial<RoleStep> = {},
): RoleStep {
  const contentHash = "0".repeat(13);
  return { role, meta, contentHash, refs: [], timestamp: 0, childThread: null, run: null, ...more };
}

type Ending = Pick<RunResult, "completion" | "failure">;
type Thread = {
  ctx: ThreadContext;
  runtime: MemoryRuntime;
  maxSteps: number;
  /** Those not used yet; each is removed when it is used. */
  answers: string[];
  people: ScriptedPeople;
};

async function drive(workflow: WorkflowFn, thread: Thread): Promise<Ending> {
  const { ctx, runtime, answers } = thread;
  const past = ctx.steps.length;
  let directive: StepDirective | null = null;
  try {
    while (true) {
      const completion = await toRest(workflow, directive, { ...thread, past });
      if (completion.route != null) runtime.routes.push(completion.route);
      const question = "suspend" in completion ? completion.suspend : null;
      if (question?.kind === "person") {
        const step = await personStep(thread.people, question.role, { cas: runtime.cas, ctx });
        if (step === null) return { completion, failure: null };
        ctx.steps.push(step);
        directive = null;
        continue;
      }
      const answer = question === null || question.kind === "limit" ? undefined : answers.shift();
      if (question === null || answer === undefined) return { completion, failure: null };
      directive = answered(question.role, answer, thread);
    }
  } catch (thrown) {
    return { completion: null, failure: failureFrom(thrown, "WORKFLOW_FAILED") };
  }
}

/** Runs until the workflow ends or asks. */
async function toRest(
  workflow: WorkflowFn,
  directive: StepDirective | null,
  thread: Thread & { past: number },
): Promise<WorkflowCompletion> {
  const { ctx, runtime, maxSteps, past } = thread;
  const resumes = directive === null ? (ctx.steps.at(-1)?.group ?? null) : null;
  const seen = resumes === null ? ctx : { ...ctx, steps: stepsBeforeGroup(ctx.steps) };
  const outputs = workflow(seen, { ...runtime, directive, resumes });
  const store = async (output: RoleOutput, group?: StepGroup): Promise<RoleStep> => {
    if (ctx.steps.length - past === maxSteps) throw new WorkflowError(endless(maxSteps, ctx.steps));
    const kept = await keepOutput(runtime.cas, output, ctx.steps.length + 1);
    const step = group === undefined ? kept : { ...kept, group };
    ctx.steps.push(step);
    return step;
  };
  let turn = await outputs.next();
  let resumed = resumes;
  while (turn.done !== true) {
    const group = yieldedGroup(turn.value);
    const output = yieldedOutput(turn.value);
    if (group !== null) {
      const answer = personMember(thread);
      const ended = await runGroup({ group, ctx, runtime, resumed, store, answer });
      if ("waiting" in ended) {
        await outputs.return({ returnCode: 0, summary: "" });
        const { role, ask: message, route } = ended.waiting;
        return { suspend: { kind: "person", role, message }, route };
      }
      turn = await outputs.next(ended.steps);
    } else if (output !== null) {
      turn = await outputs.next(await store(output));
    } else throw new Error("the workflow yielded neither an output nor a group");
    resumed = null;
  }
  return turn.value;
}

/** What a person who is a member of a group answers. */
function personMember({ people, runtime, ctx }: Thread): GroupRun["answer"] {
  return async (role, group) => {
    const step = await personStep(people, role, { cas: runtime.cas, ctx, group });
    if (step !== null) ctx.steps.push(step);
    return step;
  };
}

/** As the engine does it: the role that asked runs again, in its own session and directory, with the answer as its
 *  prompt. */
function answered(role: string, prompt: string, { ctx, runtime }: Thread): StepDirective {
  const asked = ctx.steps.findLast((step) => step.role === role);
  return {
    route: { from: role, to: role, condition: "ANSWER", rule: null, prompt },
    location: runtime.requests.findLast((request) => request.role === role)?.location ?? null,
    previousSession: asked?.run?.session ?? null,
    agent: null,
  };
}

let threads = 0;

function newThread({ prompt, steps = [] }: Pick<RunOptions, "prompt" | "steps">): ThreadContext {
  threads += 1;
  return {
    threadId: `01TESTK1T0${String(threads).padStart(16, "0")}`,
    depth: 0,
    bundleHash: "0".repeat(13),
    start: { role: START, content: prompt, meta: {}, timestamp: 0, parentState: null },
    steps: [...steps],
  };
}

function endless(maxSteps: number, steps: readonly RoleStep[]): Failure {
  const tail = steps.slice(-6).map(({ role }) => role);
  return failure(
    "WORKFLOW_FAILED",
    `no end after ${maxSteps} steps; the last were ${tail.join(" → ")}`,
    "look for a loop in the table, or raise `maxSteps`",
  );
}
