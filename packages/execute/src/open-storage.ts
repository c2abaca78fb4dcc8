import { existsSync } from "node:fs";
import {
  openFilesStore,
  openRootStore,
  type RootStore,
  type StoreKind,
} from "@uncaged/workflow-cas";
import {
  type BlobTable,
  type NodeStore,
  type ThreadStore,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { readStoreKind } from "@uncaged/workflow-register";
import { storagePaths } from "@uncaged/workflow-util";
import { restInFiles } from "./rest-in-files.ts";

/** Both halves of a storage root. Closing the threads closes all. */
export type Storage = { cas: RootStore; threads: ThreadStore; table: BlobTable };

/** Opens a storage root, making it if it is not there. Throws `STORAGE_FAILED`, `STORAGE_NEWER` or
 *  `CONFIG_INVALID`. */
export async function openStorage(root: string): Promise<Storage> {
  return opened(root, await kindOf(root));
}

/** Lends the blobs alone. Where no index is there is none made for it, unless blobs are to go into it. */
export async function withBlobs<T>(root: string, use: (cas: NodeStore) => Promise<T>): Promise<T> {
  const kind = await kindOf(root);
  const { cas: dir, index } = storagePaths(root);
  if (kind === "files" && !existsSync(index)) return use(openFilesStore(dir));
  const { cas, threads } = await opened(root, kind);
  try {
    return await use(cas);
  } finally {
    await threads.close();
  }
}

async function opened(root: string, kind: StoreKind): Promise<Storage> {
  // Loaded when needed: a root without an index is read and written without it.
  const { openIndex } = await import("./open-index.ts");
  const { threads, blobs: table } = await openIndex(root);
  const cas = openRootStore({ dir: storagePaths(root).cas, table, kind });
  return { cas, threads: restInFiles(threads, { root, behind: cas.behind }), table };
}

async function kindOf(root: string): Promise<StoreKind> {
  const kind = await readStoreKind(root);
  if (kind.ok) return kind.value;
  throw new WorkflowError(kind.error);
}
