import { constants } from "node:buffer";
import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import type { WorkflowError } from "@uncaged/workflow-protocol";
import { isErrno, READ_NOW, readRegularFileSync, storageFailed } from "@uncaged/workflow-util";
import { corrupt } from "../node/store-failures.ts";
import { verifiedText } from "../node/verified-text.ts";
import { ASIDE, asideTime, blobPath, hashOfFile } from "./files-layout.ts";

/** A blob in the store or in quarantine, re-hashed; null when there is none. Throws `CAS_CORRUPT`, or `STORAGE_FAILED`
 *  when it cannot be read. Changes nothing. */
export function readStored(folder: string, hash: string): string | null {
  return (
    readBlob(folder, hash) ??
    findAside(folder, hash)?.text ??
    // Another reader may have restored it after our first look.
    readBlob(folder, hash)
  );
}

/** A blob in this folder only. Reads synchronously: for files this small, that is several times faster than a round
 *  trip through the thread pool. */
export function readBlob(folder: string, hash: string): string | null {
  const bytes = readBytes(blobPath(folder, hash), hash);
  return bytes === null ? null : verifiedText(hash, bytes);
}

/** A quarantined blob, and the folder it is in. */
export function findAside(folder: string, hash: string): { text: string; folder: string } | null {
  for (const aside of asideFolders(folder)) {
    const text = readBlob(aside, hash);
    if (text !== null) return { text, folder: aside };
  }
  return null;
}

/** Paths of the quarantine folders, newest first. */
export function asideFolders(folder: string): string[] {
  return namesIn(join(folder, ASIDE))
    .filter((name) => asideTime(name) !== null)
    .sort((a, b) => Number(b) - Number(a))
    .map((name) => join(folder, ASIDE, name));
}

/** Hashes of the blobs in this folder only, sorted. */
export function listBlobs(folder: string): string[] {
  return namesIn(folder)
    .flatMap((name) => hashOfFile(name) ?? [])
    .sort();
}

/** The names in a folder; empty when there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return [];
    throw storageFailed(`cannot list ${folder}`, cause);
  }
}

/** The file's bytes, valid only until the next call; null when there is no such file. Never blocks, whatever kind of
 *  file it is. Throws `CAS_CORRUPT` or `STORAGE_FAILED`. */
export function readBytes(path: string, hash: string): Buffer | null {
  try {
    return readShort(path) ?? readLong(path, hash);
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return null;
    if (isErrno(cause, "EISDIR")) throw corrupt(hash, `a folder is in its place, ${path}`);
    // Reported by a FIFO that has no data at the moment, a socket, and a missing device.
    if (isErrno(cause, "EAGAIN", "ENXIO", "ENODEV")) throw noFile(hash, path);
    throw storageFailed(`cannot read blob ${hash}`, cause);
  }
}

/** Nearly every blob is shorter. The bytes stay until the next read. */
const ROOM = Buffer.allocUnsafe(64 * 1024);

/** Anything longer than the buffer may be an endless device. */
function readLong(path: string, hash: string): Buffer | null {
  const read = readRegularFileSync(path, constants.MAX_STRING_LENGTH);
  if (read.ok) return read.value.bytes;
  if (read.error.absent) return null;
  throw corrupt(hash, `what is in its place, ${path}, ${read.error.problem}`);
}

function noFile(hash: string, path: string): WorkflowError {
  return corrupt(hash, `what is in its place, ${path}, is not a regular file`);
}

/** Reads into an existing buffer without asking for the length first: a long thread is thousands of short files. null:
 *  the file does not fit. */
function readShort(path: string): Buffer | null {
  const fd = openSync(path, READ_NOW);
  try {
    let length = 0;
    while (length < ROOM.length) {
      const more = readSync(fd, ROOM, length, ROOM.length - length, null);
      if (more === 0) return ROOM.subarray(0, length);
      length += more;
    }
    return null;
  } finally {
    closeSync(fd);
  }
}
