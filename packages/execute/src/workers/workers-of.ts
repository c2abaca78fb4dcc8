import { isFinished, type ThreadRecord, type UnfinishedThread } from "@uncaged/workflow-protocol";
import { isWorker } from "../chain/is-worker.ts";
import type { Engine } from "../storage/engine.ts";

/** The workers of a thread that have not ended. */
export async function workersOf(
  { cas, store }: Pick<Engine, "cas" | "store">,
  { threadId: parentThread }: Pick<ThreadRecord, "threadId">,
): Promise<UnfinishedThread[]> {
  const workers: UnfinishedThread[] = [];
  for (const child of await store.list({ parentThread }))
    if (!isFinished(child) && (await isWorker(cas, child))) workers.push(child);
  return workers;
}
