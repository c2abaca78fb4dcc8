import { failure, WorkflowError } from "@uncaged/workflow-protocol";

/** Wraps a file system error: `what` names the operation and the path, the hint says what to fix. A `WorkflowError`
 *  passes through unchanged. */
export function storageFailed(what: string, cause: unknown): WorkflowError {
  if (cause instanceof WorkflowError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const hint = HINTS[errno(cause) ?? ""] ?? "check the disk and its file system, then try again";
  return new WorkflowError(failure("STORAGE_FAILED", `${what}: ${reason}`, hint), { cause });
}

/** True for a system error with one of these codes. */
export function isErrno(thrown: unknown, ...codes: readonly string[]): boolean {
  const code = errno(thrown);
  return code !== null && codes.includes(code);
}

function errno(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !("code" in thrown)) return null;
  return typeof thrown.code === "string" ? thrown.code : null;
}

const HINTS: { readonly [code: string]: string } = {
  EACCES: "give this user the right to write there",
  EDQUOT: "free some of the quota, then try again",
  EMFILE: "raise the limit of open files (ulimit -n), then try again",
  ENFILE: "the system has too many open files; close some, then try again",
  ENOENT: "the folder is missing; check the storage root",
  ENOSPC: "free some disk space, then try again",
  EPERM: "give this user the right to write there",
  EROFS: "the file system is read-only; choose another storage root or remount it",
};
