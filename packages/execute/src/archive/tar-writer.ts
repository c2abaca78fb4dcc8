/** Writes a tar file piece by piece. Its name appears only when everything is on disk, and never replaces an existing
 *  file. */
import { createHash } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { linkExclusive, randomTag, storageFailed, syncFolder } from "@uncaged/workflow-util";
import { BLOCK_BYTES, paddingAfter, tarHeader } from "./tar-header.ts";

export type AddEntry = (name: string, content: Buffer) => Promise<void>;

export type WrittenFile = {
  bytes: number;
  /** SHA-256 (hex) of the whole file. */
  sha256: string;
};

/** `fill` adds the entries one after the other. `TARGET_EXISTS` when something exists there already; throws
 *  `STORAGE_FAILED`, or what `fill` throws, and then leaves nothing behind. Mode 0600: threads are private. */
export async function writeTar(
  path: string,
  fill: (add: AddEntry) => Promise<void>,
): Promise<Result<WrittenFile, Failure>> {
  const folder = dirname(path);
  const temp = join(folder, `.${basename(path)}.${randomTag(8)}.tmp`);
  try {
    const written = await fillFile(await open(temp, "wx", 0o600), fill);
    if (!linkExclusive(temp, path)) return err(taken(path));
    await rm(temp, { force: true });
    await syncFolder(folder);
    return ok(written);
  } catch (cause) {
    throw storageFailed(`cannot write ${path}`, cause);
  } finally {
    await rm(temp, { force: true }).catch(() => {});
  }
}

async function fillFile(
  file: FileHandle,
  fill: (add: AddEntry) => Promise<void>,
): Promise<WrittenFile> {
  const hash = createHash("sha256");
  let bytes = 0;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  const flush = async (): Promise<void> => {
    const piece = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    hash.update(piece);
    for (let at = 0; at < piece.length; ) at += (await file.write(piece, at)).bytesWritten;
    bytes += piece.length;
  };
  const write = async (parts: readonly Buffer[]): Promise<void> => {
    waiting.push(...parts);
    for (const part of parts) waitingBytes += part.length;
    if (waitingBytes >= PIECE_BYTES) await flush();
  };
  try {
    await fill((name, content) =>
      write([
        tarHeader({ name, size: content.length }),
        content,
        Buffer.alloc(paddingAfter(content.length)),
      ]),
    );
    await write([Buffer.alloc(2 * BLOCK_BYTES)]);
    await flush();
    await file.sync();
  } finally {
    await file.close();
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** Bytes per write; small entries are buffered up to this size. */
const PIECE_BYTES = 1024 * 1024;

function taken(path: string): Failure {
  return failure(
    "TARGET_EXISTS",
    `${path} already exists; nothing was written`,
    "name another file",
  );
}
