/** Removes finished threads that nobody will ask for again.
 *
 *  1. A thread and its child threads stay or go together: they go when all of them have ended, none has changed for the
 *     given time, and none has the label `keep`.
 *  2. Parents go first: what an interruption leaves are whole threads, and the next call removes them. */
import {
  type Failure,
  isFinished,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { lookForProcesses } from "../processes/process-look.ts";
import type { Engine } from "../storage/engine.ts";
import { removeThread } from "./remove-thread.ts";

/** A thread with this label, and its family, is never pruned. */
const KEEP = "keep";

export type Pruned = { threadId: string; result: Result<null, Failure> };

/** Removes what `prunableThreads` returns. A thread that cannot be removed stops no other. */
export async function pruneThreads(engine: Engine, unchangedMs: number): Promise<Pruned[]> {
  const look = lookForProcesses(engine.now());
  const pruned: Pruned[] = [];
  for (const thread of await prunableThreads(engine, unchangedMs)) {
    const result = await removeThread(engine, thread, look);
    pruned.push({ threadId: thread.threadId, result });
  }
  return pruned;
}

/** Parents before their children. `unchangedMs`: how long nothing was written about them. */
export async function prunableThreads(
  { store, now }: Pick<Engine, "store" | "now">,
  unchangedMs: number,
): Promise<ThreadRecord[]> {
  const threads = new Map((await store.list({})).map((thread) => [thread.threadId, thread]));
  const before = now() - unchangedMs;
  const needed = new Set<string>();
  for (const thread of threads.values()) {
    const mayGo =
      isFinished(thread) && thread.updatedAt < before && !Object.hasOwn(thread.labels, KEEP);
    if (!mayGo) needed.add(eldest(thread, threads).threadId);
  }
  return [...threads.values()]
    .filter((thread) => !needed.has(eldest(thread, threads).threadId))
    .sort((a, b) => a.depth - b.depth);
}

/** The thread at the top of its family, as far as it is still there. */
function eldest(thread: ThreadRecord, threads: ReadonlyMap<string, ThreadRecord>): ThreadRecord {
  let top = thread;
  while (top.parentThread !== null) {
    const parent = threads.get(top.parentThread);
    // Depth falls with every parent, so a damaged index cannot lead in circles.
    if (parent === undefined || parent.depth >= top.depth) break;
    top = parent;
  }
  return top;
}
