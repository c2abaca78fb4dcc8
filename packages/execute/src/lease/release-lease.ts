/** Releases the lease of a thread that nothing was done to, or that is to rest as it did before.
 *
 *  1. What it waited for, it waits for again: a question, a closed gate.
 *  2. A gate that was opened meanwhile stays open: then the thread is idle. */
import {
  type ParkedState,
  suspensionOf,
  type ThreadRecord,
  type ThreadStatus,
} from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";

/** What a thread rested at, by its record from before the lease was taken. */
export function parkedState(thread: ThreadRecord): ParkedState {
  const suspended = suspensionOf(thread);
  if (suspended !== null) return { status: "suspended", suspended };
  return thread.status === "paused" ? { status: thread.status } : { status: "idle" };
}

/** Returns what the thread is then. Throws `LEASE_LOST` when it has another owner by now. */
export async function releaseLease(
  { store, now }: Pick<Engine, "store" | "now">,
  { threadId, fence }: { threadId: string; fence: number },
  to: ParkedState,
): Promise<ThreadStatus> {
  const tenure = { threadId, fence };
  if (await store.release({ ...tenure, nowMs: now(), to })) return to.status;
  await store.release({ ...tenure, nowMs: now(), to: { status: "idle" } });
  return "idle";
}
