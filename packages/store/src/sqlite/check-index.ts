import { existsSync } from "node:fs";
import { type Failure, failure, failureFrom } from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import { retryWhileBusy } from "../database/retry-while-busy.ts";
import { listThreads } from "../operations/thread-queries.ts";
import { carryOut } from "./carry-out.ts";
import { refuseLostFile } from "./lost-index.ts";
import { openThreadIndex } from "./thread-index.ts";

/** Looks for damage in a storage root's index: every page, every SQL index, every row. Empty when all is well, also for
 *  a new root, which has no index yet. Reads the whole file; changes nothing. */
export async function checkThreadIndex(root: string): Promise<Failure[]> {
  const file = storagePaths(root).index;
  try {
    refuseLostFile(root);
    if (!existsSync(file)) return [];
    const index = await openThreadIndex(root);
    try {
      const found = await retryWhileBusy(() =>
        index.read("check every page", () => index.sql("PRAGMA integrity_check").all()),
      );
      await retryWhileBusy(() => carryOut(index, listThreads({})));
      return found.map((row) => String(row.integrity_check)).flatMap((text) => damage(file, text));
    } finally {
      index.close();
    }
  } catch (thrown) {
    return [failureFrom(thrown, "STORAGE_FAILED")];
  }
}

function damage(file: string, found: string): Failure[] {
  if (found === "ok") return [];
  const hint = "restore it from a backup (the blobs in cas/ are not affected)";
  return [failure("STORAGE_FAILED", `${file} is damaged: ${found}`, hint)];
}
