import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isErrno, storagePaths } from "@uncaged/workflow-util";

/** Where files are written whole: the root, and the folder of each bundle. Throws what the system throws. */
export async function atomicFolders(root: string): Promise<string[]> {
  const { bundles } = storagePaths(root);
  return [root, ...(await namesIn(bundles)).map((hash) => join(bundles, hash))];
}

/** Paths of the temporary files of a folder that were changed last then or earlier; none when there is no such
 *  folder. `untilMs`: Unix milliseconds. Throws what the system throws. */
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

/** Unix milliseconds; infinite for what is gone by now, which is never old enough. */
async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return Number.POSITIVE_INFINITY;
    throw cause;
  }
}
