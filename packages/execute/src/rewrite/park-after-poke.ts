/** The state of a thread after its head was replaced. */
import type { ParkedState, ThreadStatus } from "@uncaged/workflow-protocol";
import type { LeaseHandle } from "../lease/with-lease.ts";
import type { Engine } from "../storage/engine.ts";

/** Releases the lease. A gate that was closed before is open, and a question is gone: the thread is idle, or `otherwise`.
 *  A gate that was closed meanwhile stays closed, and the thread is paused. */
export async function parkAfterPoke(
  { store, now }: Pick<Engine, "store" | "now">,
  { before, lease }: Pick<LeaseHandle, "before" | "lease">,
  otherwise: ParkedState = { status: "idle" },
): Promise<ThreadStatus> {
  const { threadId, fence } = lease;
  // While the lease is held, so that no runner stops at a gate that should be open.
  if (before.status === "paused") await store.clearSignal(threadId, "pause");
  const held = { threadId, fence };
  if (await store.release({ ...held, nowMs: now(), to: { status: "paused" } })) return "paused";
  await store.release({ ...held, nowMs: now(), to: otherwise });
  return otherwise.status;
}
