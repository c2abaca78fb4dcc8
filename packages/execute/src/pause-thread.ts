import {
  canMove,
  err,
  type Failure,
  failure,
  failureFrom,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { acquire } from "./acquire.ts";
import type { Engine } from "./engine.ts";
import { observedStatus } from "./observe.ts";
import { putDown } from "./put-down.ts";
import { reload } from "./reload.ts";

/** Closes the gate: the runner rests after its current step. A thread without a runner is paused at once;
 *  pausing one whose gate is closed changes nothing. */
export async function pauseThread(
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
  // The signal first: a runner that starts between these two lines finds it and rests by itself.
  await engine.store.signal(threadId, "pause", engine.now());
  if (status === "idle") {
    const rested = await restNow(engine, thread);
    if (!rested.ok) return rested;
  }
  return ok(await reload(engine, thread));
}

/** Owns the thread for a moment, as a runner would, and comes to rest at the gate. */
async function restNow(engine: Engine, thread: ThreadRecord): Promise<Result<null, Failure>> {
  const { threadId } = thread;
  try {
    const lease = await acquire(engine, threadId, thread.lease?.fence ?? null);
    await putDown(engine, lease, { status: "paused" });
    return ok(null);
  } catch (thrown) {
    const reason = failureFrom(thrown, "STORAGE_FAILED");
    return reason.code === "LEASE_HELD" ? ok(null) : err(reason);
  }
}
