import { failure, WorkflowError } from "@uncaged/workflow-protocol";

/** Wraps an error thrown by SQLite: `what` names the operation and the file, the hint says what to fix. Errors that are
 *  already ours pass through. */
export function sqliteFailed(what: string, cause: unknown): WorkflowError {
  if (cause instanceof WorkflowError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const hint = HINTS[resultCode(cause)] ?? "check the disk and its file system, then try again";
  return new WorkflowError(failure("STORAGE_FAILED", `${what}: ${reason}`, hint), { cause });
}

/** True when SQLite, or a failure that wraps its error, says that another process holds the file. */
export function isBusy(thrown: unknown): boolean {
  const code = resultCode(thrown instanceof WorkflowError ? thrown.cause : thrown);
  return code === SQLITE_BUSY || code === SQLITE_PROTOCOL;
}

/** True when permission or space to write was missing: reading may still work. */
export function isWriteRefusal(thrown: unknown): boolean {
  const code = resultCode(thrown instanceof WorkflowError ? thrown.cause : thrown);
  return code === SQLITE_PERM || code === SQLITE_READONLY || code === SQLITE_CANTOPEN;
}

/** The primary result code (https://sqlite.org/rescode.html); `errcode` may be an extended one, whose low byte is the
 *  primary. -1 for errors that are not SQLite's. */
function resultCode(thrown: unknown): number {
  if (!(thrown instanceof Error) || !("errcode" in thrown)) return -1;
  return typeof thrown.errcode === "number" ? thrown.errcode & 0xff : -1;
}

const SQLITE_PERM = 3;
const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_CANTOPEN = 14;
/** Many processes began to read at the same moment, and this one lost too often. */
const SQLITE_PROTOCOL = 15;

const HINTS: { readonly [code: number]: string } = {
  [SQLITE_PERM]: "give this user the right to read and write there",
  [SQLITE_BUSY]:
    "another process holds the database; wait for it, or end it, then try again: uncaged-workflow doctor names it",
  [SQLITE_READONLY]: "give this user the right to write there, or choose another storage root",
  10: "the disk reports errors; check it and its file system before you continue",
  11: "the file is damaged; restore it from a backup (the blobs in cas/ are not affected)",
  13: "free some disk space, then try again",
  [SQLITE_CANTOPEN]: "check that the folder exists and that this user may write to it",
  [SQLITE_PROTOCOL]: "too many processes use the database at once; try again",
  26: "another file is in its place; move that away, or choose another storage root",
};
