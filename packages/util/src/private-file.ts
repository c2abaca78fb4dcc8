import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import { isErrno } from "./storage-failed.ts";

/** Creates a file that nobody else can read, or removes other users' permissions from one that this user owns. For
 *  files that another library opens and creates with the umask's mode. Never throws: the next one to open the file
 *  reports what is wrong.
 *
 *  An existing file is not opened: closing it would drop the locks that this process holds on it. */
export function keepPrivateSync(path: string): void {
  if (process.platform === "win32") return; // modes say nothing there
  try {
    closeSync(openSync(path, "wx", PRIVATE));
  } catch (cause) {
    if (isErrno(cause, "EEXIST")) takeFromOthersSync(path);
  }
}

const PRIVATE = 0o600;

/** Removes other users' permissions from a file that this user owns; creates none. Never throws. */
export function takeFromOthersSync(path: string): void {
  try {
    const { mode, uid } = statSync(path);
    if ((mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(path, PRIVATE);
  } catch {
    // It disappeared, or may not be changed.
  }
}
