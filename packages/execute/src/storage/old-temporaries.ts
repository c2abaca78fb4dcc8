import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isErrno, storagePaths } from "@uncaged/workflow-util";

/** The folders in which files are written atomically: the root, and the folder of each bundle. Throws file system
 *  errors. */
export async function atomicFolders(root: string): Promise<string[]> {
  const { bundles } = storagePaths(root);
  return [root, ...(await namesIn(bundles)).map((hash) => join(bundles, hash))];
}

/** Paths of a folder's temporary files that were last changed at that time or earlier; empty if the folder does not
 *  exist. `untilMs`: Unix milliseconds. Throws file system errors. */
export async function oldTemporaries(
  folder: string,
  about: { named: RegExp; untilMs: number },
): Promise<string[]> {
  const paths = (await namesIn(folder))
    .filter((name) => about.named.test(name))
    .map((name) => join(folder, name));
  const old = await Promise.all(
    paths.map(async (path) => ((await changedAt(path)) <= about.untilMs ? [path] : [])),
  );
  return old.flat();
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    if (isErrno(cause, "ENOENT", "ENOTDIR")) return [];
    throw cause;
  }
}

/** Unix milliseconds; infinite for a file that is already gone, so it never counts as old. */
async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return Number.POSITIVE_INFINITY;
    throw cause;
  }
}
