/** Owns a thread for a while: takes its lease, keeps it, gives it back.
 *
 *  1. Whoever calls this is the thread's runner: a background process, or a command that runs steps itself.
 *  2. Before anything runs, what a killed owner left behind is ended: its processes carry the thread's mark.
 *  3. Every way out gives the lease up, except losing it. Work that fails leaves the thread waiting for what it
 *     waited for before. */
import { rowsLeft } from "@uncaged/workflow-cas";
import {
  err,
  type Failure,
  failure,
  failureFrom,
  type Lease,
  type LiveEvent,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { type DebugLog, debugLog, endMarked, storagePaths } from "@uncaged/workflow-util";
import { acquire } from "./acquire.ts";
import type { Engine } from "./engine.ts";
import { threadMark } from "./engine-runtime.ts";
import { startHeartbeat } from "./heartbeat.ts";
import type { Interruption } from "./interruption.ts";
import { runnerState } from "./observe.ts";
import { putDown, type Rest, restOf } from "./put-down.ts";

export type Tenancy = {
  /** The thread as it was when the lease was taken: it waits for nothing any more. */
  thread: ThreadRecord;
  /** As it was just before that. */
  before: ThreadRecord;
  lease: Lease;
  /** Aborts with an `Interruption` as its reason. */
  signal: AbortSignal;
  emit: (event: LiveEvent) => void;
  log: DebugLog;
};

export type Ownership<T> = {
  threadId: string;
  /** Aborting it with an `Interruption` as reason stops or kills; another reason counts as kill. */
  signal: AbortSignal;
  /** Does the work. When it gives a value it has given the lease up itself. */
  use: (tenancy: Tenancy) => Promise<Result<T, Failure>>;
};

/** Gives what the work gave. Failures of taking the lease: `THREAD_NOT_FOUND`, `LEASE_HELD`, `TRANSITION_INVALID`. */
export async function ownThread<T>(
  engine: Engine,
  ownership: Ownership<T>,
): Promise<Result<T, Failure>> {
  const taken = await takeLease(engine, ownership.threadId);
  if (!taken.ok) return taken;
  const { thread, before, lease } = taken.value;
  const { abort, end } = startTenure(engine, lease, ownership.signal);
  const paths = storagePaths(engine.root);
  const live = engine.live.writer(lease);
  const log = debugLog(paths.debugLog(lease.threadId), engine.now);
  log.write("7Q2M4XBC", `process ${lease.process.pid} owns the thread, fence ${lease.fence}`);
  const giveUp = (reason: Failure): Promise<Result<never, Failure>> =>
    releaseAfter(engine, lease, { reason, to: restOf(before) });
  try {
    const done = await ownership.use({
      thread,
      before,
      lease,
      signal: abort.signal,
      emit: live.append,
      log,
    });
    if (done.ok) return done;
    log.write("VZ0N8E5K", `gave up: ${done.error.code}: ${done.error.message}`);
    return await giveUp(done.error);
  } catch (thrown) {
    const reason = failureFrom(thrown, "INTERNAL");
    log.write("H3D9RTA6", `broke: ${reason.code}: ${reason.message}`);
    return await giveUp(reason);
  } finally {
    log.write("K5W1PGYJ", `fence ${lease.fence} is at its end`);
    end();
    live.close();
  }
}

/** Takes the lease; an owner whose process is certainly gone is replaced at once, its leftovers ended. */
async function takeLease(
  engine: Engine,
  threadId: string,
): Promise<Result<Pick<Tenancy, "thread" | "before" | "lease">, Failure>> {
  const before = await engine.store.get(threadId);
  if (before === null) return err(gone(threadId));
  const runner = runnerState(before.lease, engine.now());
  try {
    const lease = await acquire(
      engine,
      threadId,
      runner === "dead" ? (before.lease?.fence ?? null) : null,
    );
    if (runner !== "none") await endMarked({ mark: threadMark(threadId), graceMs: 0 });
    // Read again: what the last owner published between our look and its end counts.
    const owned = await engine.store.get(threadId);
    if (owned === null) return err(gone(threadId));
    await takeRowsAlong(engine, owned.head);
    return ok({ thread: owned, before, lease });
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}

/** An owner that was killed, or whose disk was full, may have left steps that are rows, though the root keeps
 *  files. Of each thread its next owner sees to that, so many runners of one root do not do each other's. */
async function takeRowsAlong({ table, behind }: Engine, head: string): Promise<void> {
  if (table !== null && behind !== null) behind.takeAlong(await rowsLeft(table, head));
}

function startTenure(
  engine: Engine,
  lease: Lease,
  outer: AbortSignal,
): { abort: AbortController; end: () => void } {
  const abort = new AbortController();
  const passOn = (): void => abort.abort(outer.reason);
  if (outer.aborted) passOn();
  else outer.addEventListener("abort", passOn, { once: true });
  const interrupt = (reason: Interruption): void => abort.abort(reason);
  const heartbeat = startHeartbeat({ store: engine.store, lease, now: engine.now, interrupt });
  return {
    abort,
    end: () => {
      heartbeat.stop();
      outer.removeEventListener("abort", passOn);
    },
  };
}

/** Losing the lease leaves nothing to give up. */
async function releaseAfter(
  engine: Engine,
  { threadId, fence }: Lease,
  { reason, to }: { reason: Failure; to: Rest },
): Promise<Result<never, Failure>> {
  if (reason.code !== "LEASE_LOST") {
    // The storage may be what failed; then the lease runs out, and the first reason is the one to report.
    await putDown(engine, { threadId, fence }, to).catch(() => null);
  }
  return err(reason);
}

function gone(threadId: string): Failure {
  return failure("THREAD_NOT_FOUND", `no thread ${threadId}`, "see: uncaged-workflow thread list");
}
