import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type StepView,
  type ThreadRecord,
  type ThreadResult,
  type ThreadStatus,
} from "@uncaged/workflow-protocol";
import { useExternals } from "@uncaged/workflow-register";
import { type Chain, extendChain, loadChain, roleStates } from "../chain/chain.ts";
import { readAgain } from "../lease/read-again.ts";
import { recordedResultOf } from "../read/thread-result.ts";
import { resultOf, stepViews } from "../read/thread-view.ts";
import { latePerson } from "../run/missed-deadline.ts";
import { roleAfter } from "../run/role-after.ts";
import { runThread } from "../run/run-thread.ts";
import type { Engine } from "../storage/engine.ts";
import { observedStatus } from "../watch/observe.ts";

export type ExecReport = {
  threadId: string;
  status: ThreadStatus;
  head: string;
  /** What the table names next; null once the thread has ended. */
  nextRole: string | null;
  /** The steps that this call made. */
  steps: StepView[];
  /** How the thread ended; null while it has not. */
  result: ThreadResult | null;
};

/** Runs up to `count` steps of an idle thread in this process and leaves it idle again. If only the end is left, the
 *  thread ends. */
export async function execThread(
  engine: Engine,
  thread: ThreadRecord,
  opts: { count: number; signal: AbortSignal },
): Promise<Result<ExecReport, Failure>> {
  const refusal = refusalOf(thread, engine.now());
  if (refusal !== null) return err(refusal);
  useExternals(engine.root, engine.packagesBase);
  const read: Chain[] = [];
  const outcome = await runThread(engine, {
    threadId: thread.threadId,
    maxSteps: opts.count,
    room: "or nothing",
    signal: opts.signal,
    onReady: (chain) => read.push(chain),
  });
  if (!outcome.ok) return outcome;
  const after = await readAgain(engine, thread);
  const [before] = read;
  const chain = before
    ? await extendChain(engine.cas, before, after.head)
    : await loadChain(engine.cas, after);
  return ok({
    threadId: after.threadId,
    status: observedStatus(after, engine.now()).status,
    head: after.head,
    nextRole: await roleAfter(engine, after, chain),
    steps: await stepViews(
      engine.cas,
      roleStates(chain).slice(thread.stepCount),
      thread.stepCount + 1,
    ),
    result: resultOf(after, await recordedResultOf(engine.cas, after)),
  });
}

function refusalOf(thread: ThreadRecord, nowMs: number): Failure | null {
  const { status } = observedStatus(thread, nowMs);
  if (status !== "paused" && status !== "suspended") return null;
  if (latePerson(thread, nowMs) !== null) return null;
  return failure(
    "TRANSITION_INVALID",
    `thread ${thread.threadId} is ${status}`,
    `open it with: uncaged-workflow thread resume ${thread.threadId}`,
  );
}
