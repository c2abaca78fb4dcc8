/** Finished threads of a bundle, one file per UTC day, one JSON object per line: for people and log shippers. The
 *  engine itself uses the index.
 *
 *  1. A line is one write in append mode, flushed before the call returns. Lines of several processes do not mix.
 *  2. A line that a crash cut short is closed with a newline before the next is appended, so it damages no other.
 *     Readers skip it.
 *  3. A removed thread also leaves a line that says so: a thread in the history that no index knows was lost.
 *  4. A thread may be in a file twice: it ended, but the index did not record that, and it ended again after a resume.
 *     Its last line counts.
 *  5. The line of an end is appended inside the transaction that ends the thread, so only by its owner: one that was
 *     replaced, and wakes up, appends nothing. */
import { constants } from "node:buffer";
import {
  closeSync,
  fstatSync,
  fsyncSync,
  constants as modes,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type HistoryLine, isHash, type ThreadHistory } from "@uncaged/workflow-protocol";
import {
  isErrno,
  makeFolderSync,
  readRegularFile,
  storageFailed,
  storagePaths,
  syncFolderSync,
} from "@uncaged/workflow-util";
import {
  decodeHistoryLine,
  decodeRemovalLine,
  encodeHistoryLine,
  encodeRemovalLine,
} from "./history-line.ts";

/** Throws `STORAGE_FAILED`; then the line is missing or cut short, and may be appended again. Does not yield: it is
 *  part of the transaction that ends the thread, in which the owner's fence was checked. */
export function appendHistory(root: string, line: HistoryLine): void {
  appendLine(root, line.bundleHash, { text: encodeHistoryLine(line), atMs: line.finishedAt });
}

/** Throws like `appendHistory`. `atMs`: Unix milliseconds. */
export function appendRemoval(
  root: string,
  { threadId, bundleHash, removedAt }: { threadId: string; bundleHash: string; removedAt: number },
): void {
  const text = encodeRemovalLine({ threadId, removedAt });
  appendLine(root, bundleHash, { text, atMs: removedAt });
}

function appendLine(
  root: string,
  bundleHash: string,
  { text, atMs }: { text: string; atMs: number },
): void {
  const folder = storagePaths(root).history(bundleHash);
  const file = join(folder, `${dayOf(atMs)}.jsonl`);
  try {
    makeFolderSync(folder);
    const fd = openSync(file, APPEND, 0o600);
    try {
      const lead = endsMidLine(fd) ? "\n" : "";
      writeWhole(fd, Buffer.from(`${lead}${text}\n`));
      fsyncSync(fd);
      // Always flush the folder: the process that created the file may not have flushed its name yet.
      syncFolderSync(folder);
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    throw storageFailed(`cannot append to ${file}`, cause);
  }
}

/** Of all bundles. Throws `STORAGE_FAILED`. */
export async function readHistory(root: string): Promise<ThreadHistory> {
  const latest = new Map<string, HistoryLine>();
  let lastRemovalAt = 0;
  const removed = new Map<string, number>();
  for (const bundleHash of await bundlesOf(root)) {
    for (const text of await linesOf(root, bundleHash)) {
      const line = decodeHistoryLine(text);
      const removal = line === null ? decodeRemovalLine(text) : null;
      if (line !== null && isLater(line, latest)) latest.set(line.threadId, line);
      if (removal === null) continue;
      const { threadId, removedAt } = removal;
      removed.set(threadId, Math.max(removed.get(threadId) ?? 0, removedAt));
      lastRemovalAt = Math.max(lastRemovalAt, removedAt);
    }
  }
  const isNotRemoved = ({ threadId, finishedAt }: HistoryLine): boolean =>
    finishedAt > (removed.get(threadId) ?? -1);
  return { ended: [...latest.values()].filter(isNotRemoved), lastRemovalAt };
}

/** A thread that ended twice may have been upgraded to another bundle in between. */
function isLater(line: HistoryLine, latest: ReadonlyMap<string, HistoryLine>): boolean {
  return line.finishedAt >= (latest.get(line.threadId)?.finishedAt ?? 0);
}

async function bundlesOf(root: string): Promise<string[]> {
  const { bundles } = storagePaths(root);
  return (await namesIn(bundles)).filter(isHash).sort();
}

async function linesOf(root: string, bundleHash: string): Promise<string[]> {
  const folder = storagePaths(root).history(bundleHash);
  const lines: string[] = [];
  for (const name of (await namesIn(folder)).filter(isDayFile).sort()) {
    const file = join(folder, name);
    try {
      const read = await readRegularFile(file, constants.MAX_STRING_LENGTH);
      if (read.ok) lines.push(...read.value.toString("utf8").split("\n"));
      else if (!read.error.absent) throw new Error(`it ${read.error.problem}`);
    } catch (cause) {
      throw storageFailed(`cannot read ${file}`, cause);
    }
  }
  return lines;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    if (isErrno(cause, "ENOENT", "ENOTDIR")) return [];
    throw storageFailed(`cannot read ${folder}`, cause);
  }
}

/** The day of a history file, UTC. */
export function dayOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 10);
}

function isDayFile(name: string): boolean {
  return /^\d{4}-\d{2}-\d{2}\.jsonl$/.test(name);
}

const { O_RDWR, O_APPEND, O_CREAT, O_NONBLOCK = 0 } = modes;
const APPEND = O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK;

function endsMidLine(fd: number): boolean {
  const stats = fstatSync(fd);
  if (!stats.isFile()) throw new Error("it is not a regular file");
  const { size } = stats;
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  return readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE;
}

const NEWLINE = 0x0a;

function writeWhole(fd: number, bytes: Buffer): void {
  const written = writeSync(fd, bytes);
  if (written === bytes.length) return;
  // No second write: another process's line may already follow the partial one.
  throw new Error(`${written} of ${bytes.length} bytes were written`);
}
