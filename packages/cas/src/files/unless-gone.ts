import { isErrno } from "@uncaged/workflow-util";

/** For a file or folder that others may remove at the same time: a reader that restores a blob, a collection, a move, a
 *  `cas rm`. A folder may have received something new meanwhile. Throws any other file system error. */
export function unlessGone(effect: () => unknown): void {
  try {
    effect();
  } catch (cause) {
    if (!isErrno(cause, "ENOENT", "ENOTEMPTY", "EEXIST")) throw cause;
  }
}
