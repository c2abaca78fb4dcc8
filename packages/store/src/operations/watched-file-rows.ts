/** Converts rows of the index to watched files. Throws `STORAGE_FAILED` for a row that this program cannot have written. */
import type { FileMark, WatchedFile, WatchedFileState } from "@uncaged/workflow-protocol";
import { damagedRow } from "./firing-rows.ts";
import type { NamedRow } from "./thread-columns.ts";

type FileValues = FileMark &
  Record<"file" | "state", string> &
  Record<"threadId" | "reason", string | null>;

/** A name may have any character: SQLite ends a text at a NUL, and cannot store a lone surrogate. */
export function fileValues(watched: WatchedFile): FileValues {
  const { file, mark, state } = watched;
  const { size, modifiedAt, origin } = mark;
  const threadId = "threadId" in watched ? watched.threadId : null;
  const reason = "reason" in watched ? JSON.stringify(watched.reason) : null;
  return { file: JSON.stringify(file), size, modifiedAt, origin, state, threadId, reason };
}

export function fileOf(row: NamedRow): WatchedFile {
  const { size, modifiedAt, origin } = row;
  const [file, state] = [textIn(row.file), stateOf(row)];
  if (
    file === null ||
    typeof size !== "number" ||
    typeof modifiedAt !== "number" ||
    typeof origin !== "number" ||
    state === null
  )
    throw damagedRow(`a file of trigger ${String(row.trigger)}`);
  return { file, mark: { size, modifiedAt, origin }, ...state };
}

function stateOf({ state, threadId, reason }: NamedRow): WatchedFileState | null {
  if (state === "known" || state === "starting") return { state };
  if (state === "started") return typeof threadId === "string" ? { state, threadId } : null;
  const words = textIn(reason);
  return state === "failed" && words !== null ? { state, reason: words } : null;
}

function textIn(json: unknown): string | null {
  const text: unknown = typeof json === "string" ? JSON.parse(json) : null;
  return typeof text === "string" ? text : null;
}
