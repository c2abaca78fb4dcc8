import { join } from "node:path";
import { type MemoryRow, memoryBlobTable, openRootStore } from "@uncaged/workflow-cas";
import type { RootStore, ThreadStore } from "@uncaged/workflow-protocol";
import { memoryThreadStore } from "@uncaged/workflow-store";

/** Both halves of a storage root in memory, but for blobs that are too long for a row. `rows`: what a test may look
 *  into, and spoil. */
export function memoryRoot(
  root: string,
  rows: Map<string, MemoryRow> = new Map(),
): { cas: RootStore; store: ThreadStore } {
  const store = memoryThreadStore();
  const table = memoryBlobTable((move) => store.advance(move), rows);
  return {
    cas: openRootStore({ dir: join(root, "cas"), table, threads: store, kind: "packed" }),
    store,
  };
}
