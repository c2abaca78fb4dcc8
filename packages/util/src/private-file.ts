import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import { isErrno } from "./storage-failed.ts";

/** Makes a file that nobody else can read, or takes what others can do with one of this user's. For files that
 *  another library opens and makes as the umask says. Never throws: who opens it next says what is wrong.
 *
 *  One that is there is not opened: closing it would give up the locks that this process has on it. */
export function keepPrivateSync(path: string): void {
  if (process.platform === "win32") return; // modes say nothing there
  try {
    closeSync(openSync(path, "wx", PRIVATE));
  } catch (cause) {
    if (isErrno(cause, "EEXIST")) takeFromOthers(path);
  }
}

const PRIVATE = 0o600;

function takeFromOthers(path: string): void {
  try {
    const { mode, uid } = statSync(path);
    if ((mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(path, PRIVATE);
  } catch {
    // It went away, or may not be changed.
  }
}
