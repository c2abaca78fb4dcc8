/** Takes away what `writeFileAtomic` leaves when its process is killed: temporary files beside
 *  `workflow.yaml` and the files of a bundle. Those of blobs go with the blobs' own sweep. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isErrno, storageFailed, storagePaths } from "@uncaged/workflow-util";

/** A file takes milliseconds to write; what has lain about this long has lost its writer. */
const LEFTOVER_MS = 10 * 60 * 1000;

/** Throws `STORAGE_FAILED`. `nowMs`: Unix milliseconds. */
export async function sweepLeftovers(root: string, nowMs: number): Promise<void> {
  const { bundles } = storagePaths(root);
  try {
    const versions = (await namesIn(bundles)).map((hash) => join(bundles, hash));
    for (const folder of [root, ...versions]) await sweepFolder(folder, nowMs - LEFTOVER_MS);
  } catch (cause) {
    throw storageFailed(`cannot sweep leftovers in ${root}`, cause);
  }
}

async function sweepFolder(folder: string, untilMs: number): Promise<void> {
  for (const name of (await namesIn(folder)).filter(isTemporary)) {
    const path = join(folder, name);
    if ((await changedAt(path)) <= untilMs) await rm(path, { force: true });
  }
}

/** As `writeFileAtomic` names them: `.<name>.<tag>.tmp`. */
function isTemporary(name: string): boolean {
  return /^\..+\.[0-9A-Z]{8}\.tmp$/.test(name);
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    if (isErrno(cause, "ENOENT", "ENOTDIR")) return [];
    throw cause;
  }
}

/** Unix milliseconds; infinite for what is gone by now, which is never old enough. */
async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return Number.POSITIVE_INFINITY;
    throw cause;
  }
}
