/** Releases the lease of a thread that was not changed, or that returns to the state it was in before.
 *
 *  1. Whatever it waited for (a question, a closed gate), it waits for again.
 *  2. If a gate was opened meanwhile, it stays open and the thread is idle. */
import type { ParkedState, ThreadRecord, ThreadStatus } from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";

/** What a thread was waiting for, by its record from before the lease was taken. */
export function parkedState(thread: ThreadRecord): ParkedState {
  if (thread.status === "suspended") return { status: thread.status, waits: thread.waits };
  if (thread.status === "queued") return { status: thread.status, queue: thread.queue };
  return thread.status === "paused" ? { status: thread.status } : { status: "idle" };
}

/** Returns the thread's new status. Throws `LEASE_LOST` when it has another owner by now. */
export async function releaseLease(
  { store, now }: Pick<Engine, "store" | "now">,
  { threadId, fence }: { threadId: string; fence: number },
  to: ParkedState,
): Promise<ThreadStatus> {
  const held = { threadId, fence };
  if (await store.release({ ...held, nowMs: now(), to })) return to.status;
  await store.release({ ...held, nowMs: now(), to: { status: "idle" } });
  return "idle";
}
