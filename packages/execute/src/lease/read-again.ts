import type { ThreadRecord } from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";

/** The thread as it is now, or as it was last known when it has been removed meanwhile. */
export async function readAgain(
  engine: Pick<Engine, "store">,
  thread: ThreadRecord,
): Promise<ThreadRecord> {
  return (await engine.store.get(thread.threadId)) ?? thread;
}
