import {
  END,
  type Failure,
  ok,
  type Result,
  type StepDirective,
  type ThreadContext,
  type ThreadRecord,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import { answerDirective } from "./answer-directive.ts";
import { tailOf } from "./append-step.ts";
import type { Chain } from "./chain.ts";
import { roleRulesFault } from "./check-role-rules.ts";
import { runChild } from "./child-thread.ts";
import { costMeter } from "./cost-meter.ts";
import type { Engine } from "./engine.ts";
import { engineModels } from "./engine-model.ts";
import { engineRuntime } from "./engine-runtime.ts";
import { executeThread, type RunOutcome, type ThreadRun } from "./execute-thread.ts";
import { extractor } from "./extract.ts";
import { type LoadedRun, loadRun } from "./load-run.ts";
import { type LostAttempts, lostAttempts } from "./lost-attempts.ts";
import { namedAgents } from "./named-agent.ts";
import { nextPromptDirective } from "./next-prompt.ts";
import { nextRole } from "./next-role.ts";
import type { Note } from "./note.ts";
import { orThrow } from "./or-throw.ts";
import { ownThread, type Tenancy } from "./own-thread.ts";
import { summarizer } from "./summarizer.ts";
import { supervisor } from "./supervisor.ts";
import { threadContext } from "./thread-context.ts";
import { whoPlays } from "./who-plays.ts";

export type RunRequest = {
  threadId: string;
  /** null: to the end. */
  maxSteps: number | null;
  /** Aborting it with an `Interruption` as reason stops or kills; another reason counts as kill. */
  signal: AbortSignal;
  /** Called once the thread is owned and all that it needs is loaded. `chain`: as it is by then. */
  onReady?: (chain: Chain) => void;
};

/** Runs a thread until it ends, rests or is interrupted. */
export function runThread(
  engine: Engine,
  request: RunRequest,
): Promise<Result<RunOutcome, Failure>> {
  const { threadId, signal, maxSteps } = request;
  return ownThread<RunOutcome>(engine, {
    threadId,
    signal,
    use: async (tenancy) => {
      const loaded = await loadRun(engine, tenancy.thread);
      if (!loaded.ok) return loaded;
      const directive = await firstDirective(engine, tenancy.thread, loaded.value);
      const run = await threadRun(engine, tenancy, { loaded: loaded.value, directive, maxSteps });
      request.onReady?.(loaded.value.chain);
      return ok(await executeThread(run));
    },
  });
}

/** What a person asked of the first step; null: the table decides. */
async function firstDirective(
  engine: Engine,
  thread: ThreadRecord,
  { chain, bundle }: LoadedRun,
): Promise<StepDirective | null> {
  if (thread.nextPrompt === null) return answerDirective(thread, chain);
  const context = await threadContext(engine.cas, thread, chain);
  return nextPromptDirective(bundle.descriptor.graph.edges, { chain, context }, thread.nextPrompt);
}

/** Ties the parts of a run together. */
export async function threadRun(
  engine: Engine,
  tenancy: Tenancy,
  opts: { loaded: LoadedRun; directive: StepDirective | null; maxSteps: number | null },
): Promise<ThreadRun> {
  const { thread, signal, emit } = tenancy;
  const { chain, origin, bundle, workflow } = opts.loaded;
  const tail = tailOf(thread, chain, tenancy.lease.fence);
  const context = await threadContext(engine.cas, thread, chain);
  const models = engineModels(engine.root);
  const watching = costMeter();
  const watcher = {
    cas: engine.cas,
    models,
    task: context.start.content,
    signal,
    note: (note: Note) => {
      watching.add(note.usage);
      takeNote(engine, tenancy, note);
    },
  };
  const lost = await lostAttempts(engine, thread);
  const extraction = extractor({ cas: engine.cas, models, signal });
  const runtime = engineRuntime({
    cas: engine.cas,
    extract: extraction.forStep,
    signal,
    thread,
    origin,
    directive: opts.directive,
    unrecorded: lost.spent,
    rules: bundle.descriptor.roles,
    fence: tenancy.lease.fence,
    now: engine.now,
    emit,
    homes: storagePaths(engine.root).agentHomes(thread.threadId),
    player: whoPlays(thread, orThrow(await models.settings()), context.steps),
    agent: namedAgents(engine),
    runChild: (request) => runChild(engine, { ...request, parent: thread, tail, signal }),
  });
  return {
    engine,
    thread,
    tail,
    workflow,
    context,
    runtime,
    roles: new Set(Object.keys(bundle.descriptor.roles)),
    rulesFault: rulesGate(engine, bundle.descriptor, context),
    signal,
    maxSteps: opts.maxSteps,
    costs: { extraction: extraction.takeCost, watching: watching.take, lost: once(lost) },
    supervise: supervisor(watcher),
    summarize: summarizer(watcher),
    endsNext: async (steps) =>
      (await nextRole(thread, bundle.descriptor, { ...context, steps })) === END,
    emit,
  };
}

/** What was accepted is known to the next step as an earlier one's. */
function rulesGate(
  { cas }: Pick<Engine, "cas">,
  { roles }: WorkflowDescriptor,
  { steps }: ThreadContext,
): ThreadRun["rulesFault"] {
  const earlier = new Set(steps.flatMap(({ run }) => run?.evidence ?? []));
  return async ({ role, outcome, run = null }) => {
    const step = { role, outcome, run };
    const fault = await roleRulesFault(cas, roles[role] ?? {}, { step, earlier });
    if (fault === null) for (const hash of run?.evidence ?? []) earlier.add(hash);
    return fault;
  };
}

/** Goes into one record. */
function once(lost: LostAttempts): ThreadRun["costs"]["lost"] {
  let left: LostAttempts | null = lost.begun === 0 && lost.spent.length === 0 ? null : lost;
  return () => {
    const taken = left;
    left = null;
    return taken;
  };
}

function takeNote({ now }: Engine, { thread, emit, log }: Tenancy, note: Note): void {
  const cost = note.usage === null ? "" : ` ${JSON.stringify(note.usage)}`;
  log.write("4B8TZQ6M", `${note.about}: ${note.message}${cost}`);
  emit({ threadId: thread.threadId, timestamp: now(), type: "note", ...note });
}
