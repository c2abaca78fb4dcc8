/** Files that somebody else may have replaced: opened without blocking, and read only when they are regular files.
 *
 *  1. Without O_NONBLOCK, opening a FIFO waits for its other end, perhaps for ever.
 *  2. The open file is checked, not its name: links are followed, and nothing can come in between.
 *  3. A device has no end: only regular files are read, and never more than was asked for. */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { isErrno, storageFailed } from "./storage-failed.ts";

/** `absent`, or what is wrong with it, as the end of a sentence. */
export type Unreadable = { absent: true } | { absent: false; problem: string };

/** For opening what may not be a regular file. Windows has no such flag, and no FIFOs among its files. */
export const READ_NOW: number = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
export const APPEND_NOW: number =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);

/** A file that stays open. Throws `STORAGE_FAILED` when it exists and may not be read. */
export async function openRegularFile(
  path: string,
): Promise<Result<{ file: FileHandle; size: number; mode: number }, Unreadable>> {
  try {
    const file = await open(path, READ_NOW);
    const stats = await file.stat();
    const problem = problemOf(stats);
    if (problem === null) return ok({ file, size: stats.size, mode: stats.mode & 0o777 });
    await file.close();
    return unreadable(problem);
  } catch (cause) {
    return unopened(path, cause);
  }
}

/** Reads a whole file in one go, if it has at most `maxBytes`. Throws the same. */
export async function readRegularFile(
  path: string,
  maxBytes: number,
): Promise<Result<Buffer, Unreadable>> {
  const opened = await openRegularFile(path);
  if (!opened.ok) return opened;
  const { file, size } = opened.value;
  try {
    if (size > maxBytes) return tooLong(size, maxBytes);
    // One byte more than its size, to detect that it grew meanwhile.
    const bytes = Buffer.alloc(size + 1);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length);
      if (bytesRead === 0) return ok(bytes.subarray(0, length));
      length += bytesRead;
    }
    return unreadable("grew while it was read");
  } catch (cause) {
    throw storageFailed(`cannot read ${path}`, cause);
  } finally {
    await file.close();
  }
}

/** The same, plus the permission bits, for callers that must not yield. */
export function readRegularFileSync(
  path: string,
  maxBytes: number,
): Result<{ bytes: Buffer; mode: number }, Unreadable> {
  let fd: number | null = null;
  try {
    fd = openSync(path, READ_NOW);
    const stats = fstatSync(fd);
    const problem = problemOf(stats);
    if (problem !== null) return unreadable(problem);
    if (stats.size > maxBytes) return tooLong(stats.size, maxBytes);
    const bytes = Buffer.alloc(stats.size + 1);
    let length = 0;
    while (length < bytes.length) {
      const more = readSync(fd, bytes, length, bytes.length - length, null);
      if (more === 0) return ok({ bytes: bytes.subarray(0, length), mode: stats.mode & 0o777 });
      length += more;
    }
    return unreadable("grew while it was read");
  } catch (cause) {
    return unopened(path, cause);
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

function problemOf(stats: Stats): string | null {
  if (stats.isFile()) return null;
  return stats.isDirectory() ? "is a directory" : NOT_REGULAR;
}

const NOT_REGULAR = "is not a regular file";

function unopened(path: string, cause: unknown): Result<never, Unreadable> {
  if (isErrno(cause, "ENOENT", "ENOTDIR")) return err({ absent: true });
  if (isErrno(cause, "EISDIR")) return unreadable("is a directory");
  // The error for opening a socket or a missing device.
  if (isErrno(cause, "ENXIO", "ENODEV")) return unreadable(NOT_REGULAR);
  throw storageFailed(`cannot read ${path}`, cause);
}

function tooLong(size: number, maxBytes: number): Result<never, Unreadable> {
  return unreadable(`has ${inMiB(size)}; at most ${inMiB(maxBytes)} are read`);
}

function unreadable(problem: string): Result<never, Unreadable> {
  return err({ absent: false, problem });
}

function inMiB(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
