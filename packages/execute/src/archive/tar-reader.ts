/** Reads an untrusted tar file: one form of header, no gaps, nothing after the end. */
import type { FileHandle } from "node:fs/promises";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { openRegularFile, storageFailed } from "@uncaged/workflow-util";
import { BLOCK_BYTES, paddingAfter, readTarHeader, type TarEntry } from "./tar-header.ts";

/** An entry, the offset of its content, and the content. */
type PlacedEntry = TarEntry & { at: number; content: Buffer };

/** The failure for a file that is not what it should be. `problem` completes a sentence. */
export type Invalid = (path: string, problem: string) => Failure;

export type TarFile = {
  path: string;
  /** Yields every entry in order. Fails with `invalid` at the first thing that `writeTar` would not write, and,
   *  before reading it, at content longer than `mostBytes` of its name. */
  entries(mostBytes: (name: string) => number): AsyncGenerator<Result<PlacedEntry, Failure>>;
  /** Throws `STORAGE_FAILED`. */
  read(entry: { at: number; size: number }): Promise<Buffer>;
  close(): Promise<void>;
};

type Read = TarFile["read"];

/** `FILE_NOT_FOUND`, or `invalid` for anything but a regular file. */
export async function openTar(path: string, invalid: Invalid): Promise<Result<TarFile, Failure>> {
  const opened = await openRegularFile(path);
  if (!opened.ok)
    return err(opened.error.absent ? missing(path) : invalid(path, `it ${opened.error.problem}`));
  const { file, size } = opened.value;
  const read: Read = (entry) => readExactly(file, path, entry);
  return ok({
    path,
    read,
    entries: (mostBytes) => entriesOf({ path, size, read: ahead(read, size), mostBytes, invalid }),
    close: () => file.close(),
  });
}

async function* entriesOf(opts: {
  path: string;
  size: number;
  read: Read;
  mostBytes: (name: string) => number;
  invalid: Invalid;
}): AsyncGenerator<Result<PlacedEntry, Failure>> {
  const { path, size, read, mostBytes, invalid } = opts;
  let at = 0;
  while (at + BLOCK_BYTES <= size) {
    const header = readTarHeader(await read({ at, size: BLOCK_BYTES }));
    if (header === null) break;
    const { name } = header;
    const start = at + BLOCK_BYTES;
    const padding = paddingAfter(header.size);
    const next = start + header.size + padding;
    // Before allocating that much: a header can claim any size.
    if (next > size) return yield err(invalid(path, `${name} is cut short`));
    if (header.size > mostBytes(name)) return yield err(invalid(path, `${name} is too long`));
    const whole = await read({ at: start, size: header.size + padding });
    if (!isZero(whole.subarray(header.size)))
      return yield err(invalid(path, `something follows ${name}`));
    yield ok({ ...header, at: start, content: whole.subarray(0, header.size) });
    at = next;
  }
  const end = size - at === END_BYTES && isZero(await read({ at, size: END_BYTES }));
  if (!end) yield err(invalid(path, `byte ${at} begins neither an entry nor the end`));
}

/** For sequential reads: reads large chunks and serves from them. */
function ahead(read: Read, size: number): Read {
  let window: { at: number; bytes: Buffer } = { at: 0, bytes: Buffer.alloc(0) };
  return async (wanted) => {
    const end = wanted.at + wanted.size;
    if (end > window.at + window.bytes.length || wanted.at < window.at) {
      const most = Math.max(wanted.size, WINDOW_BYTES);
      const length = Math.min(most, size - wanted.at);
      window = { at: wanted.at, bytes: await read({ at: wanted.at, size: length }) };
    }
    return window.bytes.subarray(wanted.at - window.at, end - window.at);
  };
}

const WINDOW_BYTES = 1024 * 1024;

/** Two empty blocks. */
const END_BYTES = 2 * BLOCK_BYTES;

function missing(path: string): Failure {
  return failure("FILE_NOT_FOUND", `there is no file ${path}`, "check the path");
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
      if (bytesRead === 0) throw new Error("it shrank while it was read");
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
