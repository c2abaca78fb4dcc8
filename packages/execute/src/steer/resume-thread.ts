import {
  err,
  type Failure,
  failure,
  failureFrom,
  isFinished,
  isPersonWait,
  leaseOf,
  ok,
  type PersonWait,
  type ReachedLimit,
  type Result,
  raisingOptions,
  type SuspendedThread,
  type ThreadLimits,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { loadChain } from "../chain/chain.ts";
import { endsTooLate } from "../lease/clock-ahead.ts";
import { finishedRefusal } from "../lease/finished-refusal.ts";
import { readAgain } from "../lease/read-again.ts";
import { bundleOf } from "../run/load-run.ts";
import { isOverdue } from "../run/person-wait.ts";
import { othersWereFirst, startRunner } from "../runner/start-runner.ts";
import type { Engine } from "../storage/engine.ts";
import { observedStatus } from "../watch/observe.ts";
import { workersOf } from "../workers/workers-of.ts";

/** Opens the gate of a paused thread, answers a suspended one, or starts a runner for one that has none. The runner
 *  replays the chain and repeats nothing. Refused: `TRANSITION_INVALID` (final, suspended), `LEASE_HELD` (a runner is
 *  at work). */
export async function resumeThread(
  engine: Engine,
  thread: ThreadRecord,
  opts: { answer: string | null; limits: ThreadLimits | null },
): Promise<Result<ThreadRecord, Failure>> {
  const refusal =
    (await strayRole(engine, thread, opts.limits)) ??
    refusalOf(thread, { ...opts, nowMs: engine.now() });
  if (refusal !== null) return err(refusal);
  if (opts.limits !== null) {
    const raised = await raise(engine, thread.threadId, opts.limits);
    if (!raised.ok) return raised;
  }
  if (opts.answer !== null) {
    const answered = await answer(engine, thread.threadId, opts.answer);
    if (!answered.ok) return answered;
  }
  // Before its own gate, so that resuming it once more reaches what a crash left paused.
  const workers = await resumeWorkers(engine, thread);
  if (!workers.ok) return workers;
  const hadRunner = isAtWork(thread, engine.now());
  await engine.store.clearSignal(thread.threadId, "pause");
  const settled = await readAgain(engine, thread);
  // The runner may have stopped at the gate just before it was opened: then the thread needs a new one.
  if (!hadRunner || !isAtWork(settled, engine.now())) {
    const runner = await startRunner(engine, thread.threadId);
    if (!runner.ok) return runner;
  }
  return ok(await readAgain(engine, thread));
}

/** Those of a coordinator that were paused with it, or by themselves. */
async function resumeWorkers(engine: Engine, thread: ThreadRecord): Promise<Result<null, Failure>> {
  for (const worker of await workersOf(engine, thread)) {
    if (worker.status !== "paused" && !worker.signals.includes("pause")) continue;
    const resumed = await resumeThread(engine, worker, { answer: null, limits: null });
    if (!resumed.ok && !othersWereFirst(resumed.error)) return resumed;
  }
  return ok(null);
}

/** A runner that was silent for longer than its lease is not at work: another may replace it. If a lease ends later
 *  than it possibly can, the new runner investigates that. */
function isAtWork(thread: ThreadRecord, nowMs: number): boolean {
  const { status, stale } = observedStatus(thread, nowMs);
  const lease = leaseOf(thread);
  return status === "running" && !stale && !(lease !== null && endsTooLate(lease, nowMs));
}

/** A limit for a role that the thread's version lacks would be stored and never used. */
async function strayRole(
  engine: Engine,
  thread: ThreadRecord,
  limits: ThreadLimits | null,
): Promise<Failure | null> {
  const named = Object.keys(limits?.roles ?? {});
  if (named.length === 0) return null;
  const bundle = await bundleOf(engine, thread, await loadChain(engine.cas, thread));
  if (!bundle.ok) return bundle.error;
  const known = Object.keys(bundle.value.descriptor.roles);
  const stray = named.find((role) => !known.includes(role));
  if (stray === undefined) return null;
  const message = `thread ${thread.threadId} has no role ${JSON.stringify(stray)}`;
  return failure("USAGE", message, `its roles are: ${known.join(", ")}`);
}

/** Durable before anything runs, too; on its own it changes nothing that was done. */
async function raise(
  engine: Engine,
  threadId: string,
  limits: ThreadLimits,
): Promise<Result<null, Failure>> {
  try {
    await engine.store.raise({ threadId, limits, nowMs: engine.now() });
    return ok(null);
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}

/** Durable before anything runs: a crash from here on does not lose what the person said. */
async function answer(
  engine: Engine,
  threadId: string,
  text: string,
): Promise<Result<null, Failure>> {
  try {
    await engine.store.answer({ threadId, text, nowMs: engine.now() });
    return ok(null);
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}

function refusalOf(
  thread: ThreadRecord,
  { answer, limits, nowMs }: { answer: string | null; limits: ThreadLimits | null; nowMs: number },
): Failure | null {
  const { threadId } = thread;
  const { status } = observedStatus(thread, nowMs);
  if (isFinished(thread)) return finishedRefusal(thread, "a finished thread cannot continue");
  if (thread.status === "suspended") return suspendedRefusal(thread, { answer, limits, nowMs });
  if (answer !== null) {
    return failure(
      "TRANSITION_INVALID",
      `thread ${threadId} is ${status}; it did not ask a question`,
      `to redo its last step with a prompt: uncaged-workflow thread poke ${threadId} --prompt <text>`,
    );
  }
  if (thread.status !== "running" || thread.signals.includes("pause")) return null;
  if (!isAtWork(thread, nowMs)) return null;
  return failure(
    "LEASE_HELD",
    `thread ${threadId} is already run by process ${thread.lease.process.pid}`,
    `watch it with: uncaged-workflow thread live ${threadId}`,
  );
}

/** A question needs an answer; a limit has to be raised; a person has to answer, or to be late. */
function suspendedRefusal(
  { threadId, waits }: SuspendedThread,
  { answer, limits, nowMs }: { answer: string | null; limits: ThreadLimits | null; nowMs: number },
): Failure | null {
  const [wait] = waits;
  if (isPersonWait(wait))
    return waits.some((each) => isOverdue(each, nowMs)) ? null : unanswered(threadId, wait);
  const { kind, message, limit } = wait;
  if (kind !== "limit") {
    if (answer?.trim() === "") return emptyAnswer(threadId, message);
    if (answer !== null) return null;
    return failure(
      "TRANSITION_INVALID",
      `thread ${threadId} waits for an answer: ${message}`,
      `answer with: uncaged-workflow thread resume ${threadId} -p <answer>`,
    );
  }
  const why = answer === null ? notRaised(limit, limits) : "it asked nothing";
  if (why === null) return null;
  return failure(
    "TRANSITION_INVALID",
    `thread ${threadId} waits because ${message}; ${why}`,
    `continue with: uncaged-workflow thread resume ${threadId} ${raisingOptions(limit)}`,
  );
}

function emptyAnswer(threadId: string, message: string): Failure {
  return failure(
    "USAGE",
    `the answer is empty; thread ${threadId} still asks: ${message}`,
    "say something: --prompt <answer>",
  );
}

/** Plain text does not answer a form. */
function unanswered(threadId: string, { role, message }: PersonWait): Failure {
  return failure(
    "TRANSITION_INVALID",
    `thread ${threadId} waits for ${role}, a person's role: ${message}`,
    `answer with: uncaged-workflow answer ${threadId}`,
  );
}

/** Why the thread would stop again immediately with these limits; null: it would not. */
function notRaised(reached: ReachedLimit | undefined, raised: ThreadLimits | null): string | null {
  if (raised === null) return "no limit was raised";
  if (reached === undefined) return null;
  const limits = reached.role === null ? raised : raised.roles?.[reached.role];
  const raisedTo = limits?.[reached.bound];
  if (raisedTo === undefined) return "a different limit was raised";
  return raisedTo > reached.used ? null : `${raisedTo} is not more than it has used`;
}
