/** The history as of the same moment as a copy of the index.
 *
 *  1. History lines are appended one by one, but the index is copied at one moment. A line of a thread that neither the copy
 *     nor the history before it knew would look like a thread that the index has lost.
 *  2. So the lengths of the files are recorded before the index is copied. Of what was appended after that, only removals
 *     and lines of threads in the copy are included. */
import { constants } from "node:buffer";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isHash, isThreadId, parseJson } from "@uncaged/workflow-protocol";
import { isErrno, storageFailed, storagePaths } from "@uncaged/workflow-util";
import { isRootPath } from "./backup-layout.ts";
import { readIfThere } from "./read-if-there.ts";

/** Length in bytes of each file of the history, by path in the storage root. */
export type HistoryLengths = ReadonlyMap<string, number>;

export async function historyLengths(root: string): Promise<HistoryLengths> {
  const lengths = new Map<string, number>();
  for (const hash of await bundlesIn(root)) {
    for (const path of await historyFiles(root, hash))
      lengths.set(path, (await stat(join(root, path))).size);
  }
  return lengths;
}

/** The part of one history file that a backup includes. `knows`: whether a thread is in the copy of the index. */
export async function copiedHistory(
  root: string,
  path: string,
  { before, knows }: { before: HistoryLengths; knows: (threadId: string) => boolean },
): Promise<Buffer> {
  const bytes = (await readIfThere(join(root, path), constants.MAX_STRING_LENGTH)) ?? NOTHING;
  const known = before.get(path) ?? 0;
  const lines = bytes.subarray(known).toString("utf8").split("\n");
  // The last one is empty, or is being written.
  const added = lines.slice(0, -1).filter((line) => isOf(line, knows));
  return Buffer.concat([bytes.subarray(0, known), Buffer.from(added.map(ended).join(""))]);
}

/** Every registered version. */
export async function bundlesIn(root: string): Promise<string[]> {
  return (await namesIn(storagePaths(root).bundles)).filter(isHash).sort();
}

/** The files of a version's history, as paths in the storage root. */
export async function historyFiles(root: string, hash: string): Promise<string[]> {
  const names = await namesIn(storagePaths(root).history(hash));
  return names.map((name) => `bundles/${hash}/history/${name}`).filter(isRootPath);
}

/** The names in a folder, sorted; empty if there is none. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (cause) {
    if (isErrno(cause, "ENOENT", "ENOTDIR")) return [];
    throw storageFailed(`cannot list ${folder}`, cause);
  }
}

const NOTHING = Buffer.alloc(0);

function isOf(line: string, knows: (threadId: string) => boolean): boolean {
  const { threadId, removedAt } = { ...Object(parseJson(line)) };
  if (typeof threadId !== "string" || !isThreadId(threadId)) return false;
  return removedAt !== undefined || knows(threadId);
}

function ended(line: string): string {
  return `${line}\n`;
}
