import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { isErrno } from "@uncaged/workflow-util";
import { shellWord } from "../command/shell-word.ts";
import { type Check, type DoctorContext, fine, wrong } from "./check.ts";

const NAME = "storage";
/** A thread writes kilobytes per step; below this even a log may fail. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;

/** Checks that the storage root is a folder that this user can read, with free space if it is writable. */
export async function checkRoot({ root }: DoctorContext): Promise<Check> {
  try {
    if (!(await stat(root)).isDirectory()) {
      return wrong(
        NAME,
        `${root} is not a folder`,
        "move it away, or set WORKFLOW_STORAGE_ROOT to a folder",
      );
    }
    await access(root, constants.R_OK | constants.X_OK);
  } catch (cause) {
    if (isErrno(cause, "ENOENT"))
      return fine(NAME, `${root} does not exist yet; the first command creates it`);
    const reason = cause instanceof Error ? cause.message : String(cause);
    return wrong(
      NAME,
      `${root} cannot be used: ${reason}`,
      `give this user the right to read there: chmod u+rwx ${shellWord(root)}`,
    );
  }
  // A backup, or another user's root: it can be checked, which is what doctor does.
  if (!(await isWritable(root)))
    return fine(NAME, `${root} is read-only: threads can be viewed, but not run`);
  const { bavail, bsize } = await statfs(root);
  const free = `${root}, ${mebibytes(bavail * bsize)} free`;
  if (bavail * bsize >= MIN_FREE_BYTES) return fine(NAME, free);
  return wrong(
    NAME,
    free,
    "free some disk space, or see what can be deleted: uncaged-workflow cas gc --dry-run",
  );
}

async function isWritable(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK);
    return true;
  } catch (cause) {
    if (isErrno(cause, "EACCES", "EPERM", "EROFS")) return false;
    throw cause;
  }
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 / 1024).toLocaleString("en-US")} MiB`;
}
