import { join } from "node:path";
import { type MemoryRow, memoryBlobTable, openRootStore } from "@uncaged/workflow-cas";
import type { Dispatch, RootStore, ThreadStore, Workers } from "@uncaged/workflow-protocol";
import { memoryIndex } from "@uncaged/workflow-store";

/** Both halves of a storage root in memory, except for blobs that are too long for a row. A test may inspect and
 *  corrupt `rows`. */
export function memoryRoot(
  root: string,
  rows: Map<string, MemoryRow> = new Map(),
): { cas: RootStore; store: ThreadStore; dispatch: Dispatch; workers: Workers } {
  const { threads: store, dispatch, workers } = memoryIndex();
  const table = memoryBlobTable((move) => store.advance(move), rows);
  const cas = openRootStore({ dir: join(root, "cas"), table, threads: store, kind: "packed" });
  return { cas, store, dispatch, workers };
}
