/** What a storage root has of threads that its index does not know, because the index is an older one, or another's.
 *
 *  1. A thread that ended stands in the history until it is removed, and that stands there, too.
 *  2. A step is published together with a change of its thread's row. So a state that is later than every change of
 *     a row, and every removal, is of a thread that the index has lost, or of a step that a crash left unpublished. */
import { decodeNode } from "@uncaged/workflow-cas";
import { type HistoryLine, readWholeHistory } from "@uncaged/workflow-store";
import type { Engine } from "./engine.ts";

export type LostThreads = {
  /** Threads that ended, by the last line of each. */
  ended: HistoryLine[];
  /** Whether a blob's text is a state that is later than anything that the index knows. */
  isLater: (text: string) => boolean;
};

/** Throws `STORAGE_FAILED`. */
export async function findLostThreads(
  engine: Pick<Engine, "root" | "store">,
): Promise<LostThreads> {
  const { standing, lastRemovalAt } = await readWholeHistory(engine.root);
  const known = await engine.store.list({});
  const ids = new Set(known.map(({ threadId }) => threadId));
  const untilMs = known.reduce((last, { updatedAt }) => Math.max(last, updatedAt), lastRemovalAt);
  return {
    ended: standing.filter(({ threadId }) => !ids.has(threadId)),
    isLater: (text) => (stateTime(text) ?? 0) > untilMs,
  };
}

/** Of those that ended the ones whose last state is in its place. Changes nothing. */
export async function endedAndLost(
  engine: Pick<Engine, "root" | "store" | "cas">,
): Promise<HistoryLine[]> {
  const { ended } = await findLostThreads(engine);
  const here = await engine.cas.getMany(ended.map(({ head }) => head));
  return ended.filter(({ head }) => here.has(head));
}

/** Unix milliseconds; null for what is no state. */
function stateTime(text: string): number | null {
  if (!text.startsWith(STATE)) return null;
  const node = decodeNode(text);
  return node.ok && node.value.type === "state" ? node.value.payload.timestamp : null;
}

const STATE = 'type: "state"\n';
