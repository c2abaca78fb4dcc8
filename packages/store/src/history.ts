/** Finished threads of a bundle, one file for each UTC day, one JSON object a line: for people and
 *  log shippers. The index is what the engine itself goes by.
 *
 *  1. A line is one write in append mode, flushed before the call returns. Lines of several
 *     processes do not mix.
 *  2. A line that a crash cut short is closed with a newline before the next is appended, so it
 *     spoils no other. Readers pass over it.
 *  3. A thread may stand in a file twice: it ended, but the index did not learn of it, and it
 *     ended again after a resume. Its last line is the true one. */
import { constants } from "node:fs";
import { type FileHandle, open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  isErrno,
  makeFolderSync,
  storageFailed,
  storagePaths,
  syncFolder,
} from "@uncaged/workflow-util";
import { decodeHistoryLine, encodeHistoryLine, type HistoryLine } from "./history-line.ts";

/** Throws `STORAGE_FAILED`; then the line is not there, or cut short, and may be appended again. */
export async function appendHistory(root: string, line: HistoryLine): Promise<void> {
  const folder = storagePaths(root).history(line.bundleHash);
  const file = join(folder, `${dayOf(line.finishedAt)}.jsonl`);
  try {
    makeFolderSync(folder);
    const handle = await open(file, APPEND, 0o600);
    try {
      const lead = (await endsMidLine(handle)) ? "\n" : "";
      await writeWhole(handle, Buffer.from(`${lead}${encodeHistoryLine(line)}\n`));
      // The folder always: the process that made the file may not have flushed its name yet.
      await Promise.all([handle.sync(), syncFolder(folder)]);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw storageFailed(`cannot append to ${file}`, cause);
  }
}

/** Every thread that a bundle finished, in the order of their ends. Throws `STORAGE_FAILED`. */
export async function readHistory(root: string, bundleHash: string): Promise<HistoryLine[]> {
  const folder = storagePaths(root).history(bundleHash);
  const last = new Map<string, HistoryLine>();
  try {
    for (const name of (await readdir(folder)).filter(isDayFile).sort()) {
      for (const text of (await readFile(join(folder, name), "utf8")).split("\n")) {
        const line = decodeHistoryLine(text);
        if (line === null) continue;
        last.delete(line.threadId); // so that it comes in again at the end
        last.set(line.threadId, line);
      }
    }
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return [...last.values()];
    throw storageFailed(`cannot read ${folder}`, cause);
  }
  return [...last.values()];
}

function dayOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 10);
}

function isDayFile(name: string): boolean {
  return /^\d{4}-\d{2}-\d{2}\.jsonl$/.test(name);
}

const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;

async function endsMidLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 1 && buffer[0] !== NEWLINE;
}

const NEWLINE = 0x0a;

async function writeWhole(handle: FileHandle, bytes: Buffer): Promise<void> {
  const { bytesWritten } = await handle.write(bytes);
  if (bytesWritten === bytes.length) return;
  // No second write: another process's line may stand behind the part by now.
  throw new Error(`${bytesWritten} of ${bytes.length} bytes arrived`);
}
