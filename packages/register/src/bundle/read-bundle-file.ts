import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import {
  err,
  type Failure,
  failure,
  failureFrom,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { isErrno } from "@uncaged/workflow-util";

/** No honest bundle is near it; it bounds what a wrong path can make us read. */
export const MAX_BUNDLE_BYTES: number = 64 * 1024 * 1024;

/** Reads a file once: what is checked, hashed and stored afterwards are these bytes, whatever happens to the file.
 *  `FILE_NOT_FOUND`, or `BUNDLE_INVALID` for what cannot be a bundle. */
export async function readBundleFile(path: string): Promise<Result<Buffer, Failure>> {
  try {
    // Without O_NONBLOCK, opening a FIFO waits for a writer, perhaps for ever.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return await readWhole(file, path);
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (!isErrno(cause, "ENOENT", "ENOTDIR")) return err(failureFrom(cause, "STORAGE_FAILED"));
    return err(
      failure(
        "FILE_NOT_FOUND",
        `there is no file ${path}`,
        "build it with: uncaged-workflow workflow build <entry>",
      ),
    );
  }
}

async function readWhole(file: FileHandle, path: string): Promise<Result<Buffer, Failure>> {
  const stats = await file.stat();
  if (!stats.isFile())
    return err(invalid(path, stats.isDirectory() ? "is a directory" : "is not a regular file"));
  if (stats.size > MAX_BUNDLE_BYTES) return err(tooLarge(path, stats.size));
  const bytes = Buffer.alloc(stats.size + 1);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (length === bytes.length) return err(invalid(path, "grew while it was read"));
  if (length === 0) return err(invalid(path, "is empty"));
  const whole = bytes.subarray(0, length);
  return isUtf8(whole) ? ok(whole) : err(invalid(path, "is not UTF-8 text"));
}

function tooLarge(path: string, size: number): Failure {
  const mebibytes = (size / 1024 / 1024).toFixed(0);
  return invalid(
    path,
    `has ${mebibytes} MiB; a bundle has at most ${MAX_BUNDLE_BYTES / 1024 / 1024}`,
  );
}

function invalid(path: string, problem: string): Failure {
  return failure(
    "BUNDLE_INVALID",
    `${path} ${problem}`,
    "give the .esm.js file that `workflow build` wrote",
  );
}
