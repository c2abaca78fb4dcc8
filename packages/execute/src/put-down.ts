/** Gives up the lease of a thread that nothing was done to, or that is to rest as it did before.
 *
 *  1. What it waited for, it waits for again: a question, a closed gate.
 *  2. A gate that was opened meanwhile stays open: then the thread is idle. */
import type { ThreadRecord, ThreadStatus, ThreadStore } from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";

/** What a thread rests at. */
export type Rest = Parameters<ThreadStore["release"]>[0]["to"];

/** What a thread rested at, by its record from before the lease was taken. */
export function restOf({ status, suspended }: ThreadRecord): Rest {
  if (suspended !== null) return { status: "suspended", ...suspended };
  return status === "paused" ? { status } : { status: "idle" };
}

/** Gives what the thread is then. Throws `LEASE_LOST` when it has another owner by now. */
export async function putDown(
  { store, now }: Pick<Engine, "store" | "now">,
  { threadId, fence }: { threadId: string; fence: number },
  to: Rest,
): Promise<ThreadStatus> {
  const tenure = { threadId, fence };
  if (await store.release({ ...tenure, nowMs: now(), to })) return to.status;
  await store.release({ ...tenure, nowMs: now(), to: { status: "idle" } });
  return "idle";
}
