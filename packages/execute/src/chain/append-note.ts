/** A note of a coordinating step: a node of the chain that is no round. The order of effects is that of a step. */
import { encodeContent, encodeState } from "@uncaged/workflow-cas";
import {
  COORDINATION,
  type CoordinationNote,
  type RootStore,
  type StatePayload,
  toJsonObject,
} from "@uncaged/workflow-protocol";
import { type ChainCursor, cursorAfter, parentOf, skipList } from "./chain-cursor.ts";
import type { StoredNote } from "./notes.ts";

export type NewNote = {
  meta: CoordinationNote;
  content: string;
  /** The thread of the worker that it is about; null: there is none yet. */
  childThread: string | null;
};

export type PublishedNote = { note: StoredNote; cursor: ChainCursor };

/** Throws `LEASE_LOST` when the thread has another owner by now; the head has not moved then. */
export async function publishNote(
  { cas }: { cas: Pick<RootStore, "publish"> },
  cursor: ChainCursor,
  { meta, content: text, childThread, nowMs }: NewNote & { nowMs: number },
): Promise<PublishedNote> {
  const content = encodeContent(text);
  const ancestors = skipList(cursor.lastStates);
  const payload: StatePayload = {
    role: COORDINATION,
    meta: toJsonObject(meta) ?? {},
    start: cursor.startHash,
    content: content.hash,
    ancestors,
    compact: null,
    timestamp: nowMs,
    childThread,
    digests: {
      [content.hash]: content.sha256,
      [parentOf(cursor)]: cursor.parentSha256,
    },
    route: null,
  };
  const state = encodeState(payload, [content.hash, cursor.startHash, ...ancestors]);
  await cas.publish([content, state], {
    kind: "note",
    threadId: cursor.threadId,
    fence: cursor.fence,
    from: cursor.head,
    to: state.hash,
    toSha256: state.sha256,
    nowMs,
  });
  return {
    note: { hash: state.hash, meta, content: content.hash, childThread, timestamp: nowMs },
    cursor: { ...cursorAfter(cursor, state), rounds: cursor.rounds },
  };
}
