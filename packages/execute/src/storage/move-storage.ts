import {
  type Failure,
  type MoveReport,
  ok,
  type Result,
  type StoreKind,
} from "@uncaged/workflow-protocol";
import { openRegistry } from "./open-registry.ts";
import { openStorage } from "./open-storage.ts";

export type StorageMove = MoveReport & { store: StoreKind; notes: string[] };

/** Moves the blobs of a storage root into files or into rows, while threads may be running.
 *
 *  Order of effects: the configuration, then the blobs. New blobs go to the new place from the first moment; a crash at
 *  any point leaves a root that can be read completely, and another call finishes the work. A runner that was active
 *  keeps writing to the old place, and the next call moves that. */
export async function moveStorage(
  root: string,
  to: StoreKind,
): Promise<Result<StorageMove, Failure>> {
  const { cas, threads } = await openStorage(root);
  try {
    const chosen = await openRegistry(root).chooseStore(to);
    if (!chosen.ok) return chosen;
    return ok({ ...(await cas.move(to)), store: to, notes: chosen.value.notes });
  } finally {
    await cas.close();
    await threads.close();
  }
}
