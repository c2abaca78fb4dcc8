import { readdir } from "node:fs/promises";
import { isHash } from "@uncaged/workflow-protocol";
import { isErrno, storageFailed } from "@uncaged/workflow-util";

/** The hashes among the names in a folder, sorted; empty if there is none. Throws `STORAGE_FAILED`. */
export async function hashesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter(isHash).sort();
  } catch (cause) {
    if (isErrno(cause, "ENOENT", "ENOTDIR")) return [];
    throw storageFailed(`cannot list ${folder}`, cause);
  }
}
