import { renameSync, rmSync } from "node:fs";
import { failureFrom } from "@uncaged/workflow-protocol";
import { isErrno, storagePaths } from "@uncaged/workflow-util";
import type { Engine } from "./engine.ts";
import { openEngine } from "./open-engine.ts";

/** Opens a storage root, with an empty index where it has lost its own. An index without threads is kept under another
 *  name: it may mean more to others than to us. Throws what `openEngine` throws for a root that has no damage of this
 *  kind. */
export async function openAnew(opts: { root: string; packagesBase: string }): Promise<Engine> {
  try {
    return await openEngine(opts);
  } catch (thrown) {
    if (failureFrom(thrown, "INTERNAL").code !== "STORAGE_DAMAGED") throw thrown;
  }
  const { index } = storagePaths(opts.root);
  for (const ending of ["-wal", "-shm", ""]) {
    try {
      renameSync(`${index}${ending}`, `${index}.lost${ending}`);
    } catch (cause) {
      if (!isErrno(cause, "ENOENT")) throw cause;
      rmSync(`${index}.lost${ending}`, { force: true });
    }
  }
  return openEngine({ ...opts, lost: "made anew" });
}
