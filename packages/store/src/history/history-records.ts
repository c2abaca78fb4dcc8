/** The history of a storage root, record by record, for one that is moved. */
import { constants } from "node:buffer";
import { join } from "node:path";
import { type HistoryLine, isHash } from "@uncaged/workflow-protocol";
import {
  makeFolderSync,
  readRegularFileSync,
  storageFailed,
  storagePaths,
  writeFileAtomicSync,
} from "@uncaged/workflow-util";
import { dayOf } from "./history.ts";
import {
  decodeHistoryLine,
  decodeRemovalLine,
  encodeHistoryLine,
  encodeRemovalLine,
  type RemovalLine,
} from "./history-line.ts";
import { namesIn } from "./names-in.ts";

export type HistoryRecords = {
  ends: readonly HistoryLine[];
  /** `bundleHash`: whose history it is in; null: not known. */
  removals: readonly (RemovalLine & { bundleHash: string | null })[];
};

/** Of all bundles. What is no record is left out. Throws `STORAGE_FAILED`. */
export function historyRecords(root: string): HistoryRecords {
  const { bundles, history } = storagePaths(root);
  const ends: HistoryLine[] = [];
  const removals: (RemovalLine & { bundleHash: string })[] = [];
  for (const bundleHash of namesIn(bundles).filter(isHash).sort()) {
    const folder = history(bundleHash);
    for (const name of namesIn(folder)
      .filter((each) => each.endsWith(".jsonl"))
      .sort())
      for (const text of linesOf(join(folder, name))) {
        const end = decodeHistoryLine(text);
        const removal = end === null ? decodeRemovalLine(text) : null;
        if (end !== null) ends.push(end);
        if (removal !== null) removals.push({ ...removal, bundleHash });
      }
  }
  return { ends, removals };
}

/** Adds the records that are not there yet. Each file is replaced as a whole. Throws `STORAGE_FAILED`. */
export function addHistory(root: string, { ends, removals }: HistoryRecords): void {
  const paths = storagePaths(root);
  const some = ends[0]?.bundleHash ?? namesIn(paths.bundles).find(isHash) ?? null;
  const files = new Map<string, { folder: string; lines: string[] }>();
  const add = (bundleHash: string, atMs: number, line: string): void => {
    const folder = paths.history(bundleHash);
    const path = join(folder, `${dayOf(atMs)}.jsonl`);
    const file = files.get(path) ?? { folder, lines: [] };
    files.set(path, file);
    file.lines.push(line);
  };
  for (const end of ends) add(end.bundleHash, end.finishedAt, encodeHistoryLine(end));
  for (const { bundleHash, ...removal } of removals) {
    // Whose it was does not matter to its readers; without any bundle, there never was a thread.
    const folder = bundleHash ?? some;
    if (folder !== null) add(folder, removal.removedAt, encodeRemovalLine(removal));
  }
  for (const [path, { folder, lines }] of files) {
    makeFolderSync(folder);
    const before = linesOf(path);
    const known = new Set(before);
    const added = lines.filter((line) => !known.has(line));
    if (added.length === 0) continue;
    const data = [...before, ...added].map((line) => `${line}\n`).join("");
    writeFileAtomicSync({ path, data, mode: 0o600, existing: "replace" });
  }
}

function linesOf(file: string): string[] {
  const read = readRegularFileSync(file, constants.MAX_STRING_LENGTH);
  if (read.ok)
    return read.value.bytes
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== "");
  if (read.error.absent) return [];
  throw storageFailed(`cannot read ${file}`, new Error(`it ${read.error.problem}`));
}
