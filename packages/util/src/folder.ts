/** Folders whose names survive a power cut: a new name is durable only once the folder that contains it has been
 *  flushed. */
import { closeSync, fsync, fsyncSync, mkdirSync, openSync, rmdirSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { storageFailed } from "./storage-failed.ts";

/** Makes a folder and its parents as needed, for this user only, and flushes what it made. Throws `STORAGE_FAILED`
 *  after removing whatever it made, so that a retry flushes it too. */
export function makeFolderSync(folder: string): void {
  const made: string[] = [];
  try {
    const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    for (let at = folder; at.length >= first.length; at = dirname(at)) made.push(at);
    for (const each of made) syncFolderSync(dirname(each));
  } catch (cause) {
    removeEmptySync(made);
    throw storageFailed(`cannot make the folder ${folder}`, cause);
  }
}

function removeEmptySync(deepestFirst: readonly string[]): void {
  try {
    for (const folder of deepestFirst) rmdirSync(folder);
  } catch {
    // Someone already uses it, and the first error is the one to report.
  }
}

/** Makes durable what was created, renamed or removed in a folder. Throws system errors as they are. Only the flush
 *  itself leaves the thread: opening is quicker than handing it over. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return; // a folder cannot be opened for flushing there
  const fd = openSync(folder, "r");
  try {
    await flush(fd);
  } finally {
    closeSync(fd);
  }
}

const flush: (fd: number) => Promise<void> = promisify(fsync);

/** The same for a section that must not yield. */
export function syncFolderSync(folder: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
