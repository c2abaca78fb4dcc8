/** The contents of a files store's folder, and what each name means.
 *
 *      <hash>.txt                       a blob
 *      .tmp-…                           a blob being written; garbage once its writer is gone
 *      .aside/<Unix ms>/<hash>.txt      blobs that a garbage collection quarantined at that time */
import { join, sep } from "node:path";
import { isHash } from "@uncaged/workflow-protocol";
import { randomTag } from "@uncaged/workflow-util";

const ENDING = ".txt";
const TEMP = ".tmp-";
export const ASIDE = ".aside";

/** Path of a blob in a folder, which may be a quarantine folder. The hash must have been checked. */
export function blobPath(folder: string, hash: string): string {
  // Not `join`: it normalizes every path, character by character, once for each of thousands of blobs.
  return `${folder}${sep}${hash}${ENDING}`;
}

/** The hash in a file name; null for any other file. */
export function hashOfFile(name: string): string | null {
  const hash = name.slice(0, -ENDING.length);
  return name.endsWith(ENDING) && isHash(hash) ? hash : null;
}

/** A unique name; the file is opened with `O_EXCL` all the same. */
export function newTempPath(folder: string): string {
  return join(folder, `${TEMP}${process.pid}-${randomTag(10)}`);
}

export function isTempFile(name: string): boolean {
  return name.startsWith(TEMP);
}

export function asidePath(folder: string, startedAtMs: number): string {
  return join(folder, ASIDE, String(startedAtMs));
}

/** Start time of the collection that a quarantine folder is named for; null for any other name. */
export function asideTime(name: string): number | null {
  return /^\d{1,15}$/.test(name) ? Number(name) : null;
}
