/** Notes of coordinating steps, read back from a chain. */
import type { CoordinationNote } from "@uncaged/workflow-protocol";
import { coordinationNoteSchema } from "@uncaged/workflow-protocol/schemas";
import { isNote } from "./chain.ts";
import type { ChainState } from "./walk-chain.ts";

export type StoredNote = {
  hash: string;
  meta: CoordinationNote;
  /** Hash of what was said. */
  content: string;
  childThread: string | null;
  timestamp: number;
};

/** null: not a note, or one that nobody can read. */
export function noteOf({ hash, node }: ChainState): StoredNote | null {
  if (!isNote({ node })) return null;
  const { content, childThread, timestamp } = node.payload;
  const { data: meta } = coordinationNoteSchema.safeParse(node.payload.meta);
  return meta === undefined ? null : { hash, meta, content, childThread, timestamp };
}

/** The notes of the step that comes after the last round, oldest first. */
export function openNotes(states: readonly ChainState[]): StoredNote[] {
  const notes: StoredNote[] = [];
  for (const state of states.toReversed()) {
    const note = noteOf(state);
    if (note !== null) notes.push(note);
    else if (!isAside(state)) break;
  }
  return notes.reverse();
}

function isAside({ node }: ChainState): boolean {
  return node.payload.role.startsWith("__");
}
