import type { RootStore } from "@uncaged/workflow-protocol";
import { memoryBlobTable } from "../rows/memory-blob-table.ts";
import { threadsAt } from "../suite/threads-at.ts";
import type { RootThreads } from "./gc.ts";
import { openRootStore } from "./root-store.ts";

/** A files root without an index: no blob is ever a row. `threads`: the threads whose blobs are kept. */
export function filesOnly(dir: string, threads: RootThreads = threadsAt([])): RootStore {
  const table = memoryBlobTable(() => Promise.reject(new Error("there are no threads here")));
  return openRootStore({ dir, table, threads, kind: "files" });
}
