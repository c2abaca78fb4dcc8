import type { RootStore } from "@uncaged/workflow-protocol";
import { memoryBlobTable } from "../rows/memory-blob-table.ts";
import { openRootStore } from "./root-store.ts";

/** A root of files without a thread: nothing is ever a row. */
export function filesOnly(dir: string): RootStore {
  const table = memoryBlobTable(() => Promise.reject(new Error("there are no threads here")));
  return openRootStore({ dir, table, kind: "files" });
}
