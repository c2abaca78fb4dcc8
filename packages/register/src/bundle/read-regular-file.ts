import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { isErrno, storageFailed } from "@uncaged/workflow-util";

/** `absent`, or what is wrong with it, as the end of a sentence. */
export type Unreadable = { absent: true } | { absent: false; problem: string };

/** Reads a file once and whole. Never waits, as a FIFO would have it, and never reads more than `maxBytes`,
 *  as a device would. Throws `STORAGE_FAILED` when it is there and may not be read. */
export async function readRegularFile(
  path: string,
  maxBytes: number,
): Promise<Result<Buffer, Unreadable>> {
  try {
    // Without O_NONBLOCK, opening a FIFO waits for a writer, perhaps for ever.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return await readWhole(file, maxBytes);
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (isErrno(cause, "ENOENT", "ENOTDIR")) return err({ absent: true });
    // What a socket answers to being opened.
    if (isErrno(cause, "ENXIO")) return unreadable("is not a regular file");
    throw storageFailed(`cannot read ${path}`, cause);
  }
}

async function readWhole(file: FileHandle, maxBytes: number): Promise<Result<Buffer, Unreadable>> {
  const stats = await file.stat();
  if (stats.isDirectory()) return unreadable("is a directory");
  if (!stats.isFile()) return unreadable("is not a regular file");
  if (stats.size > maxBytes)
    return unreadable(`has ${inMiB(stats.size)}; at most ${inMiB(maxBytes)} are read`);
  // One byte more than it has, to see whether it grows meanwhile.
  const bytes = Buffer.alloc(stats.size + 1);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length);
    if (bytesRead === 0) return ok(bytes.subarray(0, length));
    length += bytesRead;
  }
  return unreadable("grew while it was read");
}

function unreadable(problem: string): Result<never, Unreadable> {
  return err({ absent: false, problem });
}

function inMiB(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
