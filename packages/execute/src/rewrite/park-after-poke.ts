/** The state of a thread after its head was replaced. */
import type { ThreadStatus } from "@uncaged/workflow-protocol";
import { releaseLease } from "../lease/release-lease.ts";
import type { LeaseHandle } from "../lease/with-lease.ts";
import type { Engine } from "../storage/engine.ts";

/** Releases the lease. The thread is idle: a gate that was closed before is open, and a question is gone. A gate that
 *  was closed meanwhile stays closed, and the thread is paused. */
export async function parkAfterPoke(
  engine: Pick<Engine, "store" | "now">,
  { before, lease }: Pick<LeaseHandle, "before" | "lease">,
): Promise<ThreadStatus> {
  // While the lease is held, so that no runner stops at a gate that should be open.
  if (before.status === "paused") await engine.store.clearSignal(lease.threadId, "pause");
  return releaseLease(engine, lease, { status: "paused" });
}
