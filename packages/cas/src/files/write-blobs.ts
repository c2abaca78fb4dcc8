/** Makes several blobs durable with as few flushes as one.
 *
 *  1. Order of effects: bytes and size, flush of every file, names, flush of the folder. So a name never stands for
 *     bytes that a power cut could take away, and nothing is acknowledged whose name could be lost.
 *  2. A name is never overwritten. Existing bytes are compared: identical ones are fine, different ones are refused,
 *     damage is replaced.
 *  3. The folder is flushed even when every blob existed already: the writer that named them may not have flushed yet.
 *  4. After an error no temporary file is left. Names that were created stay: another writer may have found them by now
 *     and rely on them. */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { linkExclusive, makeFolderSync, storageFailed, syncFolder } from "@uncaged/workflow-util";
import type { Blob } from "../node/blobs-of.ts";
import { hashBytes } from "../node/hash.ts";
import { collision } from "../node/store-failures.ts";
import { ASIDE, blobPath, newTempPath } from "./files-layout.ts";
import { asideFolders, readBytes } from "./read-blob.ts";

/** Throws `CAS_COLLISION`, `CAS_CORRUPT` or `STORAGE_FAILED`; blobs already named are then garbage. */
export async function writeBlobs(folder: string, blobs: readonly Blob[]): Promise<void> {
  try {
    makeFolderSync(folder);
    // A batch with a collision is refused before anything is written.
    refuseCollisionsAside(folder, blobs);
    const wanted = blobs.filter((blob) => lookAt(folder, blob) !== "same");
    for (let at = 0; at < wanted.length; at += MAX_OPEN_FILES) {
      await writeTogether(folder, wanted.slice(at, at + MAX_OPEN_FILES));
    }
    await syncFolder(folder);
  } catch (cause) {
    throw storageFailed(`cannot store ${blobs.length} blobs in ${folder}`, cause);
  }
}

/** Throws `CAS_COLLISION` when a folder has different content under one of the hashes. Changes nothing. */
export function refuseCollisions(folder: string, blobs: readonly Blob[]): void {
  try {
    // Checked first: learning from an exception that a file does not exist takes ten times as long.
    if (!existsSync(folder)) return;
    for (const blob of blobs) if (existsSync(blobPath(folder, blob.hash))) lookAt(folder, blob);
    if (existsSync(join(folder, ASIDE))) refuseCollisionsAside(folder, blobs);
  } catch (cause) {
    throw storageFailed(`cannot look for ${blobs.length} blobs in ${folder}`, cause);
  }
}

/** Quarantined blobs count: someone may still hold their hash. */
function refuseCollisionsAside(folder: string, blobs: readonly Blob[]): void {
  for (const aside of asideFolders(folder)) for (const blob of blobs) lookAt(aside, blob);
}

/** Files that one writer keeps open at once. */
const MAX_OPEN_FILES = 64;

type Temp = { path: string; fd: number; blob: Blob };

async function writeTogether(folder: string, blobs: readonly Blob[]): Promise<void> {
  const temps: Temp[] = [];
  try {
    for (const blob of blobs) {
      const path = newTempPath(folder);
      // Opening and writing only reach memory, which is faster than a round trip through the thread pool.
      temps.push({ path, fd: openSync(path, "wx", 0o600), blob });
    }
    for (const temp of temps) writeAll(temp);
    await flushTogether(temps);
    for (const temp of temps) publish(folder, temp);
  } finally {
    for (const temp of temps) discard(temp);
  }
}

function writeAll({ fd, blob: { bytes } }: Temp): void {
  // A short write is followed by another, which hits the cause: a full disk or a limit.
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  const { size } = fstatSync(fd);
  if (size !== bytes.length) throw new Error(`${size} of ${bytes.length} bytes were written`);
}

const flush: (fd: number) => Promise<void> = promisify(fsync);

/** The flushes run in parallel, so that the disk can merge them. All of them are awaited, even after an error: no file
 *  may be closed during its flush. */
async function flushTogether(temps: readonly Temp[]): Promise<void> {
  const outcomes = await Promise.allSettled(temps.map(({ fd }) => flush(fd)));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

function publish(folder: string, temp: Temp): void {
  const path = blobPath(folder, temp.blob.hash);
  if (linkExclusive(temp.path, path)) return;
  if (lookAt(folder, temp.blob) !== "same") renameSync(temp.path, path);
}

/** The bytes under a blob's name. Throws `CAS_COLLISION` for different content with the same hash. */
function lookAt(folder: string, { hash, bytes }: Blob): "absent" | "same" | "damaged" {
  const existing = readBytes(blobPath(folder, hash), hash);
  if (existing === null) return "absent";
  if (existing.equals(bytes)) return "same";
  if (hashBytes(existing) === hash) throw collision(hash);
  return "damaged";
}

/** A failure here does no harm: the bytes were flushed, and a leftover is swept eventually. */
function discard({ path, fd }: Temp): void {
  attempt(() => closeSync(fd));
  attempt(() => rmSync(path, { force: true }));
}

function attempt(effect: () => void): void {
  try {
    effect();
  } catch {}
}
