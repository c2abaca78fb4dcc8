/** Reads a tar file that nobody trusts: one form of header, no gaps, nothing after the end. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { isErrno, storageFailed } from "@uncaged/workflow-util";
import { BLOCK_BYTES, paddingAfter, readTarHeader, type TarEntry } from "./tar-header.ts";

/** An entry and where its content begins. */
export type PlacedEntry = TarEntry & { at: number };

export type TarFile = {
  path: string;
  /** Every entry in its order; fails with `EXPORT_INVALID` at the first thing that `writeTar` does not write. */
  entries(): AsyncGenerator<Result<PlacedEntry, Failure>>;
  /** Throws `STORAGE_FAILED`. */
  read(entry: { at: number; size: number }): Promise<Buffer>;
  close(): Promise<void>;
};

/** `FILE_NOT_FOUND`, or `EXPORT_INVALID` for what is no regular file. */
export async function openTar(path: string): Promise<Result<TarFile, Failure>> {
  const opened = await openRegular(path);
  if (!opened.ok) return opened;
  const { file, size } = opened.value;
  const read = (entry: { at: number; size: number }): Promise<Buffer> =>
    readExactly(file, path, entry);
  return ok({
    path,
    read,
    entries: () => entriesOf({ path, size, read }),
    close: () => file.close(),
  });
}

async function* entriesOf({
  path,
  size,
  read,
}: Pick<TarFile, "path" | "read"> & { size: number }): AsyncGenerator<
  Result<PlacedEntry, Failure>
> {
  let at = 0;
  while (at + BLOCK_BYTES <= size) {
    const block = await read({ at, size: BLOCK_BYTES });
    const header = readTarHeader(block);
    if (header === null) break;
    const entry = { ...header, at: at + BLOCK_BYTES };
    const padding = paddingAfter(entry.size);
    const next = entry.at + entry.size + padding;
    // Before anything of that size is asked for: a header can say what it likes.
    if (next > size) return yield err(invalid(path, `${entry.name} is cut short`));
    const rest = await read({ at: entry.at + entry.size, size: padding });
    if (!isZero(rest)) return yield err(invalid(path, `something follows ${entry.name}`));
    yield ok(entry);
    at = next;
  }
  const end = size - at === END_BYTES && isZero(await read({ at, size: END_BYTES }));
  if (!end) yield err(invalid(path, `what stands at byte ${at} is neither an entry nor the end`));
}

/** Two empty blocks. */
const END_BYTES = 2 * BLOCK_BYTES;

/** What is wrong with an export, and where. */
export function invalid(path: string, problem: string): Failure {
  return failure(
    "EXPORT_INVALID",
    `${path} is not a sound export: ${problem}`,
    "nothing was imported; get the file again, or export the thread again",
  );
}

async function openRegular(
  path: string,
): Promise<Result<{ file: FileHandle; size: number }, Failure>> {
  try {
    // Without O_NONBLOCK, opening a FIFO waits for a writer, perhaps for ever.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (stats.isFile()) return ok({ file, size: stats.size });
    await file.close();
    return err(invalid(path, "it is not a regular file"));
  } catch (cause) {
    if (isErrno(cause, "ENOENT", "ENOTDIR"))
      return err(failure("FILE_NOT_FOUND", `there is no file ${path}`, "check the path"));
    throw storageFailed(`cannot read ${path}`, cause);
  }
}

async function readExactly(
  file: FileHandle,
  path: string,
  { at, size }: { at: number; size: number },
): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  try {
    for (let done = 0; done < size; ) {
      const { bytesRead } = await file.read(bytes, done, size - done, at + done);
      if (bytesRead === 0) throw new Error("it became shorter while it was read");
      done += bytesRead;
    }
    return bytes;
  } catch (cause) {
    throw storageFailed(`cannot read ${path}`, cause);
  }
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}
