/** Threads as they are now, also where the record names a runner whose process is gone.
 *
 *  A runner puts its thread down and then ends. Whoever reads the record before and looks for the process after
 *  sees a runner that died, where one has done its work. So the record is read again: one that still names a
 *  process that is gone was left by a runner that died. */
import { leaseOf, type ThreadRecord, type ThreadStatus } from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";
import { observedStatus, runnerState, statusBeside } from "./observe.ts";

export type SeenThread = { thread: ThreadRecord; status: ThreadStatus; stale: boolean };

type Look = Pick<Engine, "store" | "now">;

/** Null when there is no such thread. */
export async function lookAtThread(engine: Look, threadId: string): Promise<SeenThread | null> {
  const thread = await engine.store.get(threadId);
  return thread === null ? null : lookAgain(engine, thread);
}

/** A thread whose record was read just now, or what it became since. Null when it was removed. */
export async function lookAgain(engine: Look, thread: ThreadRecord): Promise<SeenThread | null> {
  const runner = runnerState(leaseOf(thread), engine.now());
  if (runner !== "dead") return { thread, ...statusBeside(thread, runner) };
  const now = await engine.store.get(thread.threadId);
  return now === null ? null : { thread: now, ...observedStatus(now, engine.now()) };
}
