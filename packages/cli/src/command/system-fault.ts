/** Distinguishes a system at its limits (no more open files, a full or unreadable disk) from a defect of ours. */
import type { Failure } from "@uncaged/workflow-protocol";
import { isErrno, storageFailed } from "@uncaged/workflow-util";

/** `STORAGE_FAILED`; null: it was something else. Code that knows what it was doing reports such errors itself, as a
 *  `WorkflowError`: this handles what was thrown while the program loaded its own files, and the like. */
export function systemFault(thrown: unknown): Failure | null {
  const cause = withErrno(thrown);
  if (!isErrno(cause, "EMFILE", "ENFILE", "EIO", "ENOSPC", "EDQUOT")) return null;
  return storageFailed("a system call failed", cause).failure;
}

/** Loaders of manifests and of native code keep the system's message, but drop its code. */
function withErrno(thrown: unknown): unknown {
  if (!isErrno(thrown, "ERR_INVALID_PACKAGE_CONFIG", "ERR_DLOPEN_FAILED")) return thrown;
  const said = String(thrown);
  const code = Object.entries(SAID).find(([, words]) => words.test(said))?.[0];
  return code === undefined ? thrown : Object.assign(new Error(said), { code });
}

const SAID = { EMFILE: /too many open files/i, EIO: /\b(?:i\/o|input\/output) error\b/i };
