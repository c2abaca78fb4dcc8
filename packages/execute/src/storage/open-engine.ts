import type { LostIndex } from "@uncaged/workflow-store";
import type { Keeper } from "../keeper/keeper.ts";
import { threadKeeper } from "../keeper/thread-keeper.ts";
import { openLiveLog } from "../place/open-parts.ts";
import { withConfiguredLimits } from "./configured-limits.ts";
import type { Engine } from "./engine.ts";
import { flushBeforeRelease } from "./flush-before-release.ts";
import { openRegistry } from "./open-registry.ts";
import { openStorage } from "./open-storage.ts";

/** Opens a storage root, creating it if necessary. Throws `STORAGE_FAILED`, `STORAGE_DAMAGED`, `STORAGE_NEWER` or
 *  `CONFIG_INVALID`. */
export async function openEngine(opts: {
  root: string;
  packagesBase: string;
  lost?: LostIndex;
  /** Default: one that keeps the leases of this process alone. */
  keeper?: Keeper;
}): Promise<Engine> {
  const { root, packagesBase, lost = "refused", keeper = threadKeeper(opts.root) } = opts;
  const { cas, ...index } = await openStorage(root, lost);
  const { threads, dispatch } = withConfiguredLimits(root, index);
  const live = await openLiveLog(root);
  const store = flushBeforeRelease(threads, { root, cas, live });
  // The keeper's connection first: the last one to close writes the log back into the index.
  const close = async (): Promise<void> => {
    await keeper.close();
    await live.close();
    await cas.close();
    await store.close();
  };
  return {
    root,
    cas,
    store: { ...store, close },
    dispatch,
    workers: index.workers,
    registry: openRegistry(root),
    live,
    keeper,
    now: Date.now,
    packagesBase,
  };
}
