/** What a thread rests at once its head was replaced. */
import type { ThreadStatus } from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";
import type { Tenancy } from "./own-thread.ts";
import { putDown } from "./put-down.ts";

/** Gives the lease up. The thread is idle: a gate that was closed before is open, as a question is gone. One that
 *  was closed meanwhile stays closed, and the thread is paused. */
export async function restAfterPoke(
  engine: Pick<Engine, "store" | "now">,
  { before, lease }: Pick<Tenancy, "before" | "lease">,
): Promise<ThreadStatus> {
  // While the lease is held, so that no runner comes to rest at a gate that is to be open.
  if (before.status === "paused") await engine.store.clearSignal(lease.threadId, "pause");
  return putDown(engine, lease, { status: "paused" });
}
