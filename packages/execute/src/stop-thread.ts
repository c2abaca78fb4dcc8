/** Ends a runner that belongs to another process: asks through the store, and insists through the system.
 *
 *  1. The runner is asked first: it ends its agent's processes and keeps a step that is just finishing.
 *  2. One that does not answer in time, or was silent already, is ended together with every process that
 *     carries its thread's mark. Its lease is then a dead one's, and is replaced. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  err,
  type Failure,
  failureFrom,
  isFinal,
  type Lease,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { endMarked, livenessOf } from "@uncaged/workflow-util";
import { acquire } from "./acquire.ts";
import { tailOf } from "./append-step.ts";
import { loadChain, roleStates } from "./chain.ts";
import type { Engine } from "./engine.ts";
import { threadMark } from "./engine-runtime.ts";
import { abortedEnding, finishThread } from "./finish-thread.ts";
import { finishedRefusal } from "./finished-refusal.ts";
import { lookAtThread } from "./look-at-thread.ts";
import { runnerState } from "./observe.ts";
import { reload } from "./reload.ts";

/** Longer than a runner waits for its own role to end (8 s). */
const ASK_FOR_MS = 12_000;
const LOOK_EVERY_MS = 50;
const ALREADY = "there is nothing left to end";

/** Ends the runner now; the thread stays resumable. Its running children are stopped with it. */
export async function stopThread(
  engine: Engine,
  thread: ThreadRecord,
): Promise<Result<ThreadRecord, Failure>> {
  if (isFinal(thread.status)) return err(finishedRefusal(thread, ALREADY));
  await endRunner(engine, thread, "stop");
  await eachChild(engine, thread, async (child) => {
    if (child.lease !== null) await stopThread(engine, child);
  });
  return ok(await reload(engine, thread));
}

/** Aborts for good: ends the runner and every process of the thread, and writes the end node (returnCode 130). */
export async function killThread(
  engine: Engine,
  thread: ThreadRecord,
): Promise<Result<ThreadRecord, Failure>> {
  if (isFinal(thread.status)) return err(finishedRefusal(thread, ALREADY));
  let seen = thread;
  while (true) {
    await endRunner(engine, seen, "kill");
    await eachChild(engine, thread, async (child) => {
      await killThread(engine, child);
    });
    seen = await reload(engine, thread);
    if (seen.status === "aborted") return ok(seen);
    if (isFinal(seen.status)) return err(finishedRefusal(seen, ALREADY));
    // Whoever took the thread up meanwhile is ended as the one before.
    if (seen.lease === null && (await wroteAbort(engine, seen))) {
      return ok(await reload(engine, thread));
    }
  }
}

async function endRunner(
  engine: Engine,
  thread: ThreadRecord,
  kind: "stop" | "kill",
): Promise<void> {
  const { threadId, lease } = thread;
  if (lease === null) return;
  await engine.store.signal(threadId, kind, engine.now());
  const silent = runnerState(lease, engine.now()) !== "alive";
  const patience = silent ? 0 : ASK_FOR_MS;
  if (!(await gaveUp(engine, threadId, lease.fence, patience))) await insist(engine, thread, lease);
}

/** Waits until this lease is gone. */
async function gaveUp(
  engine: Engine,
  threadId: string,
  fence: number,
  withinMs: number,
): Promise<boolean> {
  const until = engine.now() + withinMs;
  while (true) {
    const seen = await lookAtThread(engine, threadId);
    if (seen === null) return true;
    const { thread } = seen;
    if (thread.lease === null || thread.lease.fence !== fence) return true;
    if (engine.now() >= until || runnerState(thread.lease, engine.now()) === "dead") return false;
    await sleep(LOOK_EVERY_MS);
  }
}

async function insist(engine: Engine, thread: ThreadRecord, lease: Lease): Promise<void> {
  if (lease.process.pid !== process.pid && livenessOf(lease.process) === "alive") {
    process.kill(lease.process.pid, "SIGKILL");
  }
  await endMarked({ mark: threadMark(thread.threadId), graceMs: 0 });
  const own = await acquire(engine, thread.threadId, lease.fence);
  await engine.store.release({
    threadId: thread.threadId,
    fence: own.fence,
    nowMs: engine.now(),
    to: { status: "idle" },
  });
}

/** False when somebody else took the lease before us. */
async function wroteAbort(engine: Engine, thread: ThreadRecord): Promise<boolean> {
  const fence = await freeLease(engine, thread.threadId);
  if (fence === null) return false;
  const chain = await loadChain(engine.cas, thread);
  const ending = abortedEnding(roleStates(chain).length);
  await finishThread(engine, thread, tailOf(thread, chain, fence), { ending, nowMs: engine.now() });
  return true;
}

/** Takes the lease and gives its fence; null when it is not free. */
async function freeLease(engine: Engine, threadId: string): Promise<number | null> {
  try {
    return (await acquire(engine, threadId, null)).fence;
  } catch (thrown) {
    if (failureFrom(thrown, "STORAGE_FAILED").code === "LEASE_HELD") return null;
    throw thrown;
  }
}

async function eachChild(
  engine: Engine,
  thread: ThreadRecord,
  act: (child: ThreadRecord) => Promise<void>,
): Promise<void> {
  const children = await engine.store.list({ parentThread: thread.threadId });
  await Promise.all(children.filter((child) => !isFinal(child.status)).map(act));
}
