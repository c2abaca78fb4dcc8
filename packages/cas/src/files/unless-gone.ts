import { isErrno } from "@uncaged/workflow-util";

/** For a file or folder that others may take away at the same time: a reader who brings a blob back, a collection,
 *  a move, a `cas rm`. A folder may have something new by then. Throws whatever else the system throws. */
export function unlessGone(effect: () => unknown): void {
  try {
    effect();
  } catch (cause) {
    if (!isErrno(cause, "ENOENT", "ENOTEMPTY", "EEXIST")) throw cause;
  }
}
