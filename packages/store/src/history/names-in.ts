import { readdirSync } from "node:fs";
import { isErrno, storageFailed } from "@uncaged/workflow-util";

/** Empty if there is no such folder. Throws `STORAGE_FAILED`. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if (isErrno(cause, "ENOENT", "ENOTDIR")) return [];
    throw storageFailed(`cannot list ${folder}`, cause);
  }
}
