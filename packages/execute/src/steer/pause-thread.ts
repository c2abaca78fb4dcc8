import {
  canMove,
  err,
  type Failure,
  failure,
  failureFrom,
  leaseOf,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { acquire } from "../lease/acquire.ts";
import { readAgain } from "../lease/read-again.ts";
import { releaseLease } from "../lease/release-lease.ts";
import type { Engine } from "../storage/engine.ts";
import { observedStatus } from "../watch/observe.ts";
import { workersOf } from "../workers/workers-of.ts";

/** Closes the gate: the runner stops after its current step. A thread without a runner is paused immediately; pausing
 *  one whose gate is closed changes nothing. A coordinator's workers are paused with it; those that it starts from now on
 *  begin when its gate opens. */
export async function pauseThread(
  engine: Engine,
  thread: ThreadRecord,
): Promise<Result<ThreadRecord, Failure>> {
  // The coordinator first: from then on it lets no worker begin.
  const paused = await closeGate(engine, thread);
  if (!paused.ok) return paused;
  for (const worker of await workersOf(engine, thread)) {
    const closed = await closeGate(engine, worker);
    // One that waits, or has ended meanwhile, has nothing to pause.
    if (!closed.ok && closed.error.code !== "TRANSITION_INVALID") return closed;
  }
  return paused;
}

async function closeGate(
  engine: Engine,
  thread: ThreadRecord,
): Promise<Result<ThreadRecord, Failure>> {
  const { threadId } = thread;
  const { status } = observedStatus(thread, engine.now());
  if (status === "paused") return ok(thread);
  if (!canMove(status, "paused")) {
    return err(
      failure(
        "TRANSITION_INVALID",
        `thread ${threadId} is ${status}; only an idle or running one can be paused`,
        "",
      ),
    );
  }
  // The signal first: a runner that starts between these two lines finds it and stops by itself.
  await engine.store.signal(threadId, "pause", engine.now());
  if (status === "idle" || status === "queued") {
    const rested = await parkNow(engine, thread);
    if (!rested.ok) return rested;
  }
  return ok(await readAgain(engine, thread));
}

/** Owns the thread for a moment, as a runner would, and pauses it at the gate. */
async function parkNow(engine: Engine, thread: ThreadRecord): Promise<Result<null, Failure>> {
  const { threadId } = thread;
  try {
    const lease = await acquire(engine, threadId, leaseOf(thread)?.fence ?? null);
    await releaseLease(engine, lease, { status: "paused" });
    return ok(null);
  } catch (thrown) {
    const reason = failureFrom(thrown, "STORAGE_FAILED");
    return reason.code === "LEASE_HELD" ? ok(null) : err(reason);
  }
}
