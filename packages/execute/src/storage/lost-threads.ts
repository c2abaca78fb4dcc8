/** Finds threads in a storage root that its index does not know, because it is an older index or belongs elsewhere.
 *
 *  1. A finished thread is in the history, and its removal is recorded there, too.
 *  2. A step is published together with a change of its thread's row. So a state that is newer than every change of a
 *     row, and every removal, belongs to a thread that the index has lost, or to a step that a crash left unpublished.
 */
import { decodeNode } from "@uncaged/workflow-cas";
import type { HistoryLine } from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";

export type LostThreads = {
  /** Finished threads, by the last history line of each. */
  ended: HistoryLine[];
  /** Whether a blob's text is a state that is newer than anything in the index. */
  isLater: (text: string) => boolean;
};

/** Throws `STORAGE_FAILED`. */
export async function findLostThreads(engine: Pick<Engine, "store">): Promise<LostThreads> {
  const { standing, lastRemovalAt } = await engine.store.history();
  const known = await engine.store.list({});
  const ids = new Set(known.map(({ threadId }) => threadId));
  const untilMs = known.reduce((last, { updatedAt }) => Math.max(last, updatedAt), lastRemovalAt);
  return {
    ended: standing.filter(({ threadId }) => !ids.has(threadId)),
    isLater: (text) => (stateTime(text) ?? 0) > untilMs,
  };
}

/** The finished ones whose last state is still stored. Changes nothing. */
export async function endedAndLost(engine: Pick<Engine, "store" | "cas">): Promise<HistoryLine[]> {
  const { ended } = await findLostThreads(engine);
  const here = await engine.cas.getMany(ended.map(({ head }) => head));
  return ended.filter(({ head }) => here.has(head));
}

/** Unix milliseconds; null when it is not a state. */
function stateTime(text: string): number | null {
  if (!text.startsWith(STATE)) return null;
  const node = decodeNode(text);
  return node.ok && node.value.type === "state" ? node.value.payload.timestamp : null;
}

const STATE = 'type: "state"\n';
