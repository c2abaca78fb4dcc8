import type { Engine } from "./engine.ts";
import { openStorage } from "./open-storage.ts";
import { publishInTurn } from "./publish.ts";

/** Opens a storage root, making it if it is not there. Throws `STORAGE_FAILED`, `STORAGE_NEWER` or
 *  `CONFIG_INVALID`. */
export async function openEngine(opts: { root: string; packagesBase: string }): Promise<Engine> {
  const { root, packagesBase } = opts;
  const { cas, kind, threads: store, table } = await openStorage(root);
  return {
    root,
    cas,
    store,
    publish: kind === "packed" ? cas.publish : publishInTurn({ cas, store }),
    table,
    now: Date.now,
    packagesBase,
  };
}
