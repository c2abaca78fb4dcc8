import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { isErrno, storagePaths } from "@uncaged/workflow-util";
import { count } from "../count.ts";
import { type Check, fine, type Patient, wrong } from "./check.ts";

const NAME = "leftovers";
/** A file takes milliseconds to write; what is this old has lost its writer. */
const OLD_MS = 60 * 60 * 1000;
const SHOWN = 5;

/** No temporary file of a writer that died lies about. */
export async function checkLeftovers({ root, nowMs }: Patient): Promise<Check> {
  const { cas, bundles } = storagePaths(root);
  const versions = (await names(bundles)).map((hash) => join(bundles, hash));
  const folders = [cas, root, ...versions];
  const all = (await Promise.all(folders.map((each) => oldTemporaries(each, nowMs)))).flat();
  if (all.length === 0) return fine(NAME, "none");
  const shown = all
    .slice(0, SHOWN)
    .map((path) => basename(path))
    .join(", ");
  return wrong(
    NAME,
    `${count(all.length, "temporary file")} of writers that died: ${shown}${all.length > SHOWN ? ", …" : ""}`,
    "uncaged-workflow cas gc",
  );
}

async function oldTemporaries(folder: string, nowMs: number): Promise<string[]> {
  const paths = (await names(folder))
    .filter((name) => TEMPORARY.test(name))
    .map((name) => join(folder, name));
  const ages = await Promise.all(
    paths.map(async (path) => ({ path, changedMs: await changedAt(path) })),
  );
  return ages.flatMap(({ path, changedMs }) => (nowMs - changedMs > OLD_MS ? [path] : []));
}

/** As `writeFileAtomic` names them, and the blobs' own. */
const TEMPORARY = /^\.(?:tmp-.*|.*\.tmp)$/;

async function names(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    if (isErrno(cause, "ENOENT", "ENOTDIR")) return [];
    throw cause;
  }
}

/** Unix milliseconds; infinite for what is gone by now. */
async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return Number.POSITIVE_INFINITY;
    throw cause;
  }
}
