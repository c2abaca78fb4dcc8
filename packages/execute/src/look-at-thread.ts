/** Records that can be believed where they name a runner whose process is gone.
 *
 *  A runner puts its thread down and then ends. Whoever reads the record before and looks for the process after
 *  sees a runner that died, where one has done its work. So the record is read again: one that still names a
 *  process that is gone was left by a runner that died. */
import type { ThreadRecord } from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";
import { runnerState } from "./observe.ts";

type Look = Pick<Engine, "store" | "now">;

/** Null when there is no such thread. */
export async function lookAtThread(engine: Look, threadId: string): Promise<ThreadRecord | null> {
  const thread = await engine.store.get(threadId);
  return thread === null ? null : lookAgain(engine, thread);
}

/** The record of a thread that was read just now, or what it became since. Null when the thread was removed. */
export async function lookAgain(engine: Look, thread: ThreadRecord): Promise<ThreadRecord | null> {
  if (runnerState(thread.lease, engine.now()) !== "dead") return thread;
  return engine.store.get(thread.threadId);
}
