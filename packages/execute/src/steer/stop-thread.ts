/** Ends a runner in another process: asks through the store first, then kills.
 *
 *  1. The runner is asked first: it ends its agent's processes and keeps a step that is just finishing.
 *  2. One that does not answer in time, or was already silent or stopped, is killed together with every process of its
 *     thread. Its lease then belongs to a dead process, and is replaced.
 *  3. No write is awaited before a runner is killed: it may be the one that holds the lock of the index. Reads are
 *     never blocked. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  err,
  type Failure,
  failure,
  failureFrom,
  isFinal,
  type Lease,
  leaseOf,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { isStopped } from "@uncaged/workflow-util";
import { loadChain, roleStates } from "../chain/chain.ts";
import { cursorAt } from "../chain/chain-cursor.ts";
import { acquire } from "../lease/acquire.ts";
import { finishedRefusal } from "../lease/finished-refusal.ts";
import { readAgain } from "../lease/read-again.ts";
import { parkedState, releaseLease } from "../lease/release-lease.ts";
import { endOwner } from "../processes/end-owner.ts";
import { endProcesses } from "../processes/end-processes.ts";
import { cutOffRecord } from "../run/cut-off-record.ts";
import { abortedEnding, finishThread } from "../run/finish-thread.ts";
import type { Engine } from "../storage/engine.ts";
import { lookAtThread } from "../watch/look-at-thread.ts";
import { runnerState } from "../watch/observe.ts";
import { tidyWorktrees } from "../worktrees/take-back.ts";

/** Longer than a runner waits for its own role to end (8 s). */
const ASK_FOR_MS = 12_000;
const LOOK_EVERY_MS = 50;
const ALREADY = "there is nothing left to end";

export type Ending = {
  /** Aborting it ends the wait, not the request: `THREAD_ABORTED`. */
  signal: AbortSignal;
};

/** Ends the runner now; the thread can be resumed. Its running children are stopped with it. An owner that takes the
 *  thread meanwhile keeps it. If nobody runs the thread, finished or not, this ends its leftover processes. */
export async function stopThread(
  engine: Engine,
  thread: ThreadRecord,
  { signal }: Ending,
): Promise<Result<ThreadRecord, Failure>> {
  const everybody = { spare: null, over: null };
  const left =
    leaseOf(thread) === null ? await endProcesses(engine.store, thread.threadId, everybody) : 0;
  if (isFinal(thread.status)) {
    return left === 0 ? err(finishedRefusal(thread, ALREADY)) : ok(thread);
  }
  const ended = await endRunner(engine, thread, { kind: "stop", signal });
  if (!ended.ok) return ended;
  // It was queued, or its runner had just queued it.
  await engine.dispatch.unwant(thread.threadId, engine.now());
  const children = await eachChild(engine, thread, async (child) =>
    leaseOf(child) === null && child.status !== "queued"
      ? ok(child)
      : stopThread(engine, child, { signal }),
  );
  return children.ok ? ok(await readAgain(engine, thread)) : children;
}

/** Aborts for good: ends the runner and every process of the thread, and writes the end node (returnCode 130). */
export async function killThread(
  engine: Engine,
  thread: ThreadRecord,
  { signal }: Ending,
): Promise<Result<ThreadRecord, Failure>> {
  if (isFinal(thread.status)) return err(finishedRefusal(thread, ALREADY));
  const { threadId } = thread;
  let seen = thread;
  while (true) {
    const ended = await endRunner(engine, seen, { kind: "kill", signal });
    if (!ended.ok) return ended;
    const over = leaseOf(seen);
    await endProcesses(engine.store, threadId, { spare: over?.process.pid ?? null, over });
    const children = await eachChild(engine, thread, (child) =>
      killThread(engine, child, { signal }),
    );
    if (!children.ok) return children;
    const now = await engine.store.get(threadId);
    if (now === null) return err(removed(threadId));
    if (now.status === "aborted") return ok(now);
    if (isFinal(now.status)) return err(finishedRefusal(now, ALREADY));
    // An owner that took the thread meanwhile is ended like the one before.
    if (leaseOf(now) === null && (await wroteAbort(engine, now))) {
      await tidyWorktrees(engine, now);
      return ok(await readAgain(engine, thread));
    }
    seen = now;
  }
}

async function endRunner(
  engine: Engine,
  thread: ThreadRecord,
  { kind, signal }: { kind: "stop" | "kill"; signal: AbortSignal },
): Promise<Result<null, Failure>> {
  const { threadId } = thread;
  const lease = leaseOf(thread);
  if (lease === null) return ok(null);
  // Not awaited (3). A failure shows in what follows: the runner does not receive the signal.
  const asked = engine.store.signal(threadId, kind, engine.now()).catch(() => undefined);
  const hears = runnerState(lease, engine.now()) === "alive" && !isStopped(lease.process);
  const gone = await gaveUp(engine, lease, { withinMs: hears ? ASK_FOR_MS : 0, signal });
  if (!gone.ok) return gone;
  if (!gone.value) await forceKill(engine, lease, { kind, asked });
  return ok(null);
}

/** Waits until this lease is gone. */
async function gaveUp(
  engine: Engine,
  { threadId, fence }: Lease,
  { withinMs, signal }: { withinMs: number; signal: AbortSignal },
): Promise<Result<boolean, Failure>> {
  const until = engine.now() + withinMs;
  while (true) {
    const seen = await lookAtThread(engine, threadId);
    if (seen === null) return ok(true);
    const lease = leaseOf(seen.thread);
    if (lease === null || lease.fence !== fence) return ok(true);
    if (engine.now() >= until || runnerState(lease, engine.now()) === "dead") return ok(false);
    if (signal.aborted) return err(givenUp(threadId));
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function forceKill(
  engine: Engine,
  lease: Lease,
  { kind, asked }: { kind: "stop" | "kill"; asked: Promise<void> },
): Promise<void> {
  const { threadId } = lease;
  endOwner(lease.process);
  await endProcesses(engine.store, threadId, { spare: null, over: lease });
  // A signal meant for this owner must not reach the next one.
  await asked;
  const fence = await freeLease(engine, threadId, lease.fence);
  if (fence === null) return;
  // As after a stop that was heard: a parent that waits does not start the thread again.
  if (kind === "stop") await engine.store.signal(threadId, "stop", engine.now());
  await releaseLease(engine, { threadId, fence }, { status: "idle" });
}

/** False when somebody else took the lease before us. */
async function wroteAbort(engine: Engine, thread: ThreadRecord): Promise<boolean> {
  const fence = await freeLease(engine, thread.threadId, null);
  if (fence === null) return false;
  try {
    const chain = await loadChain(engine.cas, thread);
    const nowMs = engine.now();
    const run = await cutOffRecord(engine, thread, nowMs);
    const ending = { ...abortedEnding(roleStates(chain).length), run };
    const cursor = cursorAt(thread, chain, { fence });
    await finishThread(engine, cursor, { ending, nowMs });
    return true;
  } catch (thrown) {
    // The first error is the one to report, whether or not the thread can be released.
    await releaseLease(engine, { threadId: thread.threadId, fence }, parkedState(thread)).catch(
      () => null,
    );
    throw thrown;
  }
}

/** Takes the lease and returns its fence; null when another process was first, or has ended or removed the thread. */
async function freeLease(
  engine: Engine,
  threadId: string,
  replaces: number | null,
): Promise<number | null> {
  try {
    return (await acquire(engine, threadId, replaces)).fence;
  } catch (thrown) {
    const { code } = failureFrom(thrown, "STORAGE_FAILED");
    if (code === "LEASE_HELD" || code === "TRANSITION_INVALID" || code === "THREAD_NOT_FOUND")
      return null;
    throw thrown;
  }
}

/** The first failure of any. A child that has ended meanwhile needs nothing. */
async function eachChild(
  engine: Engine,
  thread: ThreadRecord,
  act: (child: ThreadRecord) => Promise<Result<ThreadRecord, Failure>>,
): Promise<Result<null, Failure>> {
  const children = await engine.store.list({ parentThread: thread.threadId });
  const ended = await Promise.all(children.filter((child) => !isFinal(child.status)).map(act));
  const failed = ended.find((each) => !each.ok && each.error.code !== "TRANSITION_INVALID");
  return failed === undefined || failed.ok ? ok(null) : failed;
}

function givenUp(threadId: string): Failure {
  return failure(
    "THREAD_ABORTED",
    `the runner of thread ${threadId} was asked to end, but waiting for that was interrupted`,
    `see: uncaged-workflow thread show ${threadId}`,
  );
}

function removed(threadId: string): Failure {
  return failure("THREAD_NOT_FOUND", `thread ${threadId} was removed meanwhile`, "");
}
