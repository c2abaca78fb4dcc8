/** The current state of threads, even when a record names a runner whose process is gone.
 *
 *  A runner releases its thread and then exits. Reading the record before that, and looking for the process after it,
 *  would report a dead runner that in fact finished. So the record is read again: only if it still names a process that
 *  is gone did the runner die. */
import { leaseOf, type ThreadRecord, type ThreadStatus } from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";
import { observedStatus, runnerState, statusBeside } from "./observe.ts";

export type SeenThread = { thread: ThreadRecord; status: ThreadStatus; stale: boolean };

type Look = Pick<Engine, "store" | "now">;

/** null when there is no such thread. */
export async function lookAtThread(engine: Look, threadId: string): Promise<SeenThread | null> {
  const thread = await engine.store.get(threadId);
  return thread === null ? null : lookAgain(engine, thread);
}

/** A thread whose record was just read, or its newer state. null when it was removed. */
export async function lookAgain(engine: Look, thread: ThreadRecord): Promise<SeenThread | null> {
  const runner = runnerState(leaseOf(thread), engine.now());
  if (runner !== "dead") return { thread, ...statusBeside(thread, runner) };
  const now = await engine.store.get(thread.threadId);
  return now === null ? null : { thread: now, ...observedStatus(now, engine.now()) };
}
