import { isFinished, type ThreadRecord, type WorkerView } from "@uncaged/workflow-protocol";
import type { StoredNote } from "../chain/notes.ts";
import { readNode } from "../chain/read-node.ts";
import { workerBook } from "../chain/worker-book.ts";
import type { Engine } from "../storage/engine.ts";
import { observedStatus } from "../watch/observe.ts";

/** The workers of one step, as its notes tell, oldest first. */
export function notedWorkers(notes: readonly StoredNote[]): (WorkerView & { spawn: string })[] {
  return [...workerBook(notes).workers.values()].map(({ id, title, spawn, threadId, ended }) => ({
    ...{ id, title, threadId, spawn },
    status: ended?.status ?? "idle",
    summary: ended?.summary ?? null,
    usage: ended?.usage ?? null,
  }));
}

/** With what the threads of those say that were under way when the last note was written. */
export async function workersNow(
  { cas, store, now }: Pick<Engine, "cas" | "store" | "now">,
  { threadId: parentThread }: Pick<ThreadRecord, "threadId">,
  noted: readonly (WorkerView & { spawn: string })[],
): Promise<WorkerView[]> {
  const isOpen = noted.some(({ summary }) => summary === null);
  const threads = new Map<string | null, ThreadRecord>();
  for (const child of isOpen ? await store.list({ parentThread }) : [])
    threads.set((await readNode(cas, child.startHash, "start")).payload.parentState, child);
  return noted.map(({ spawn, ...worker }) => {
    const thread = worker.summary === null ? threads.get(spawn) : undefined;
    if (thread === undefined) return worker;
    return {
      ...{ ...worker, threadId: thread.threadId, usage: thread.usage },
      status: observedStatus(thread, now()).status,
      summary: isFinished(thread) ? thread.summary : null,
    };
  });
}
