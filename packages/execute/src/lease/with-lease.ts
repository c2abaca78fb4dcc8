/** Owns a thread for a while: takes its lease, keeps it, releases it.
 *
 *  1. The caller is the thread's runner: a background process, or a command that runs steps itself.
 *  2. Before anything runs, the processes that a killed owner left behind are ended; they carry the thread's tag.
 *  3. Every way out releases the lease, except losing it. Work that fails, or cannot even begin, leaves the thread
 *     waiting for whatever it waited for before.
 *  4. If this process is killed, the keeper's guard ends what it has started. */
import {
  err,
  type Failure,
  failure,
  failureFrom,
  type Lease,
  type LiveEvent,
  leaseOf,
  type ProcessIdentity,
  type Result,
  type RunningThread,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import {
  type DebugLog,
  debugLog,
  isShared,
  killTagged,
  storagePaths,
} from "@uncaged/workflow-util";
import { tellsOfCost } from "../chain/lost-attempts.ts";
import type { Interruption } from "../keeper/interruption.ts";
import { FENCE_AFTER_MS } from "../keeper/lease-times.ts";
import { threadTag } from "../processes/process-tags.ts";
import type { Engine } from "../storage/engine.ts";
import { runnerState } from "../watch/observe.ts";
import { acquire } from "./acquire.ts";
import { endsTooLate, standsStill } from "./clock-ahead.ts";
import { leaseLost } from "./lease-lost.ts";
import { parkedState, releaseLease } from "./release-lease.ts";

export type LeaseHandle = {
  /** The thread when the lease was taken; it no longer waits for anything. */
  thread: RunningThread;
  /** The thread just before that. */
  before: ThreadRecord;
  lease: Lease;
  /** Aborts with an `Interruption` as its reason. */
  signal: AbortSignal;
  emit: (event: LiveEvent) => void;
  log: DebugLog;
};

export type LeasedWork<T> = {
  threadId: string;
  /** Aborting it with an `Interruption` as its reason stops or kills; any other reason counts as a kill. */
  signal: AbortSignal;
  /** What to do where the limits of the root leave no room; left out: the work runs no step and needs none. */
  room?: "or queue" | "or nothing";
  /** As in `ThreadStore.acquire`. */
  worker?: string | null | undefined;
  /** Does the work. When it returns a value, it has released the lease itself. */
  use: (handle: LeaseHandle) => Promise<Result<T, Failure>>;
};

/** Returns what the work returned. Taking the lease can fail with `THREAD_NOT_FOUND`, `LEASE_HELD` or
 *  `TRANSITION_INVALID`, or with `LIMIT_REACHED` when it needs room. */
export async function withLease<T>(
  engine: Engine,
  ownership: LeasedWork<T>,
): Promise<Result<T, Failure>> {
  const { threadId, signal } = ownership;
  const before = await engine.store.get(threadId);
  if (before === null) return err(gone(threadId));
  const former = await formerOwner(engine, before, signal);
  const askedAt = performance.now();
  let lease: Lease;
  try {
    lease = await acquire(
      engine,
      threadId,
      former.certainlyGone ? former.fence : null,
      roomOf(ownership),
    );
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
  // It runs from before the answer. Of one that others may take soon, no agent is begun.
  const ageMs = performance.now() - askedAt;
  if (isShared(engine.root) && ageMs >= FENCE_AFTER_MS)
    return giveUp(engine, { before, lease }, leaseLost(threadId));
  const keeping = startKeeping(engine, { lease, ageMs, replaced: former.perhapsThere }, signal);
  try {
    const done = await work(engine, { before, lease, signal: keeping.signal }, ownership.use);
    return done.ok ? done : await giveUp(engine, { before, lease }, keeping.fault() ?? done.error);
  } catch (thrown) {
    const reason = keeping.fault() ?? failureFrom(thrown, "INTERNAL");
    return await giveUp(engine, { before, lease }, reason);
  } finally {
    keeping.end();
  }
}

function roomOf({ room, worker }: Pick<LeasedWork<unknown>, "room" | "worker">): AcquiredRoom {
  return {
    ...(room === undefined ? {} : { room }),
    ...(worker === undefined ? {} : { worker }),
  };
}

type AcquiredRoom = NonNullable<Parameters<typeof acquire>[3]>;

type FormerOwner = {
  fence: number | null;
  /** Its lease can be taken immediately. */
  certainlyGone: boolean;
  /** It may wake up, and then has to notice that it was replaced. */
  perhapsThere: ProcessIdentity | null;
};

async function formerOwner(
  engine: Engine,
  thread: ThreadRecord,
  signal: AbortSignal,
): Promise<FormerOwner> {
  const lease = leaseOf(thread);
  if (lease === null) return { fence: null, certainlyGone: false, perhapsThere: null };
  const { fence } = lease;
  if (runnerState(lease, engine.now()) === "dead") {
    return { fence, certainlyGone: true, perhapsThere: null };
  }
  const lapsed = endsTooLate(lease, engine.now()) && (await standsStill(engine, lease, signal));
  return { fence, certainlyGone: lapsed, perhapsThere: lease.process };
}

/** The lease is ours: prepares the thread and does the work. */
async function work<T>(
  engine: Engine,
  { before, lease, signal }: Pick<LeaseHandle, "before" | "lease" | "signal">,
  use: LeasedWork<T>["use"],
): Promise<Result<T, Failure>> {
  const { threadId, fence } = lease;
  if (leaseOf(before) !== null) await killTagged({ tag: threadTag(threadId), graceMs: 0 });
  // Read again: what the last owner published between our check and its end counts.
  const thread = await engine.store.get(threadId);
  if (thread === null) return err(gone(threadId));
  if (thread.status !== "running" || thread.lease.fence !== fence) return err(leaseLost(threadId));
  // Each thread's next owner does this for its own thread, so many runners of one root do not repeat each other's work.
  await engine.cas.recover(thread.head);
  const paths = storagePaths(engine.root);
  const live = engine.live.writer(lease);
  const log = debugLog(paths.debugLog(threadId), engine.now);
  log.write("7Q2M4XBC", `process ${lease.process.pid} owns the thread, fence ${fence}`);
  try {
    const emit = (event: LiveEvent): void => {
      live.append(event);
      if (tellsOfCost(event)) void engine.live.flush(threadId);
    };
    const done = await use({ thread, before, lease, signal, emit, log });
    if (!done.ok) log.write("VZ0N8E5K", `gave up: ${done.error.code}: ${done.error.message}`);
    return done;
  } catch (thrown) {
    const reason = failureFrom(thrown, "INTERNAL");
    log.write("H3D9RTA6", `broke: ${reason.code}: ${reason.message}`);
    return err(reason);
  } finally {
    log.write("K5W1PGYJ", `fence ${fence} is at its end`);
    live.close();
  }
}

type Keeping = { signal: AbortSignal; fault: () => Failure | null; end: () => void };

function startKeeping(
  engine: Engine,
  { lease, ageMs, replaced }: { lease: Lease; ageMs: number; replaced: ProcessIdentity | null },
  outer: AbortSignal,
): Keeping {
  const abort = new AbortController();
  const passOn = (): void => abort.abort(outer.reason);
  if (outer.aborted) passOn();
  else outer.addEventListener("abort", passOn, { once: true });
  const interrupt = (reason: Interruption): void => abort.abort(reason);
  const kept = engine.keeper.keep({ lease, ageMs, replaced, interrupt });
  return {
    signal: abort.signal,
    fault: kept.fault,
    end: () => {
      kept.stop();
      outer.removeEventListener("abort", passOn);
    },
  };
}

/** The thread waits for what it waited for before. The fence protects somebody else's lease. */
async function giveUp(
  engine: Engine,
  { before, lease }: Pick<LeaseHandle, "before" | "lease">,
  reason: Failure,
): Promise<Result<never, Failure>> {
  // The storage may be what failed. Then the lease expires, and the first error is the one to report.
  await releaseLease(engine, lease, parkedState(before)).catch(() => null);
  return err(reason);
}

function gone(threadId: string): Failure {
  return failure("THREAD_NOT_FOUND", `no thread ${threadId}`, "see: uncaged-workflow thread list");
}
