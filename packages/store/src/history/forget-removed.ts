/** Drops removed threads from the history.
 *
 *  1. Whoever calls this keeps every writer of the history away.
 *  2. The lines of ends go first, those of removals after that: a thread with an end and without a removal would count
 *     as lost. Each file is replaced as a whole, so a crash leaves lines that the next call drops.
 *  3. The latest removal stays: the time of the last removal is needed to tell which threads are lost. */
import { constants } from "node:buffer";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isHash } from "@uncaged/workflow-protocol";
import {
  readRegularFileSync,
  storageFailed,
  storagePaths,
  writeFileAtomicSync,
} from "@uncaged/workflow-util";
import { decodeHistoryLine, decodeRemovalLine } from "./history-line.ts";
import { namesIn } from "./names-in.ts";

/** Drops those that had ended before that time; Unix milliseconds. Returns how many. Throws `STORAGE_FAILED`. Does not
 *  yield. */
export function forgetRemoved(root: string, endedBefore: number): number {
  const files = historyFiles(root);
  const endedAt = new Map<string, number>();
  const removedAt = new Map<string, number>();
  for (const line of files.flatMap(linesOf)) {
    const end = decodeHistoryLine(line);
    const removal = end === null ? decodeRemovalLine(line) : null;
    if (end !== null) keepLatest(endedAt, end.threadId, end.finishedAt);
    if (removal !== null) keepLatest(removedAt, removal.threadId, removal.removedAt);
  }
  const lastRemovalAt = Math.max(...removedAt.values());
  const gone = new Set(
    [...removedAt].flatMap(([threadId, at]) => {
      const end = endedAt.get(threadId) ?? at;
      return end <= at && end < endedBefore ? [threadId] : [];
    }),
  );
  if (gone.size === 0) return 0;
  for (const file of files)
    dropLines(file, (line) => gone.has(decodeHistoryLine(line)?.threadId ?? ""));
  for (const file of files)
    dropLines(file, (line) => {
      const removal = decodeHistoryLine(line) === null ? decodeRemovalLine(line) : null;
      return removal !== null && removal.removedAt < lastRemovalAt && gone.has(removal.threadId);
    });
  return gone.size;
}

function keepLatest(times: Map<string, number>, threadId: string, at: number): void {
  times.set(threadId, Math.max(times.get(threadId) ?? 0, at));
}

function historyFiles(root: string): string[] {
  const { bundles, history } = storagePaths(root);
  return namesIn(bundles)
    .filter(isHash)
    .flatMap((hash) => namesIn(history(hash)).map((name) => join(history(hash), name)))
    .filter((file) => file.endsWith(".jsonl"));
}

function linesOf(file: string): string[] {
  const read = readRegularFileSync(file, constants.MAX_STRING_LENGTH);
  if (read.ok) return read.value.bytes.toString("utf8").split("\n").slice(0, -1);
  if (read.error.absent) return [];
  throw storageFailed(`cannot read ${file}`, new Error(`it ${read.error.problem}`));
}

function dropLines(file: string, isDropped: (line: string) => boolean): void {
  const lines = linesOf(file);
  const kept = lines.filter((line) => !isDropped(line));
  if (kept.length === lines.length) return;
  if (kept.length === 0) rmSync(file);
  else {
    const data = kept.map((line) => `${line}\n`).join("");
    writeFileAtomicSync({ path: file, data, mode: 0o600, existing: "replace" });
  }
}
