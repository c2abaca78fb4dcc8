import type { LostIndex } from "@uncaged/workflow-store";
import type { Engine } from "./engine.ts";
import { openStorage } from "./open-storage.ts";

/** Opens a storage root, making it if it is not there. Throws `STORAGE_FAILED`, `STORAGE_DAMAGED`, `STORAGE_NEWER`
 *  or `CONFIG_INVALID`. */
export async function openEngine(opts: {
  root: string;
  packagesBase: string;
  lost?: LostIndex;
}): Promise<Engine> {
  const { root, packagesBase, lost = "refused" } = opts;
  const { cas, threads: store, table } = await openStorage(root, lost);
  return {
    root,
    cas,
    store,
    publish: cas.publish,
    table,
    behind: cas.behind,
    now: Date.now,
    packagesBase,
  };
}
