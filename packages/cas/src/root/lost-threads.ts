/** Finds threads in a storage root that its index does not know, because it is an older index or belongs elsewhere.
 *
 *  1. A finished thread is in the history, and its removal is recorded there, too.
 *  2. A step is published together with a change of its thread's row. So a state that is newer than every change of a
 *     row, and every removal, belongs to a thread that the index has lost, or to a step that a crash left unpublished.
 */
import type { HistoryLine, ThreadStore } from "@uncaged/workflow-protocol";

export type LostThreads = {
  /** Finished threads, by the last history line of each. */
  ended: HistoryLine[];
  /** The latest change that the index knows of, Unix milliseconds. A state that no thread reaches and that is newer
   *  belongs to one that the index has lost. */
  untilMs: number;
};

/** Throws `STORAGE_FAILED`. */
export async function findLostThreads(
  threads: Pick<ThreadStore, "history" | "list">,
): Promise<LostThreads> {
  const { ended, lastRemovalAt } = await threads.history();
  const known = await threads.list({});
  const ids = new Set(known.map(({ threadId }) => threadId));
  const untilMs = known.reduce((last, { updatedAt }) => Math.max(last, updatedAt), lastRemovalAt);
  return {
    ended: ended.filter(({ threadId }) => !ids.has(threadId)),
    untilMs,
  };
}
