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
import type { LostIndex } from "@uncaged/workflow-store";
import { storagePaths } from "@uncaged/workflow-util";
import { restInFiles } from "./rest-in-files.ts";

/** Both halves of a storage root. Closing the threads closes all. */
export type Storage = { cas: RootStore; threads: ThreadStore; table: BlobTable };

/** Opens a storage root, making it if it is not there. Throws `STORAGE_FAILED`, `STORAGE_DAMAGED`, `STORAGE_NEWER`
 *  or `CONFIG_INVALID`. */
export async function openStorage(root: string, lost: LostIndex = "refused"): Promise<Storage> {
  return opened(root, { kind: await kindOf(root), lost });
}

/** Lends the blobs alone. Where no index is there is none made for reading; it comes before the first blob. */
export async function withBlobs<T>(
  root: string,
  access: "read" | "write",
  use: (cas: NodeStore) => Promise<T>,
): Promise<T> {
  const kind = await kindOf(root);
  const { cas: dir, index } = storagePaths(root);
  if (access === "read" && !existsSync(index)) return use(openFilesStore(dir));
  const { cas, threads } = await opened(root, { kind, lost: "refused" });
  try {
    return await use(cas);
  } finally {
    await threads.close();
  }
}

async function opened(
  root: string,
  { kind, lost }: { kind: StoreKind; lost: LostIndex },
): Promise<Storage> {
  // Loaded when needed: a root without an index is read and written without it.
  const { openIndex } = await import("./open-index.ts");
  const { threads, blobs: table } = await openIndex(root, lost);
  const cas = openRootStore({ dir: storagePaths(root).cas, table, kind });
  return { cas, threads: restInFiles(threads, { root, behind: cas.behind }), table };
}

async function kindOf(root: string): Promise<StoreKind> {
  const kind = await readStoreKind(root);
  if (kind.ok) return kind.value;
  throw new WorkflowError(kind.error);
}
