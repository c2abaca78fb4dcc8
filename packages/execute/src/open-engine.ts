import { openFilesStore } from "@uncaged/workflow-cas";
import { openThreadStore } from "@uncaged/workflow-store";
import { storagePaths } from "@uncaged/workflow-util";
import type { Engine } from "./engine.ts";

/** Opens a storage root, making it if it is not there. Throws `STORAGE_FAILED` or `STORAGE_NEWER`. */
export async function openEngine(opts: { root: string; packagesBase: string }): Promise<Engine> {
  const { root, packagesBase } = opts;
  return {
    root,
    cas: openFilesStore(storagePaths(root).cas),
    store: await openThreadStore(root),
    now: Date.now,
    packagesBase,
  };
}
