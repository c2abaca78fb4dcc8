import { join } from "node:path";
import { openFilesStore, openRootStore } from "@uncaged/workflow-cas";
import {
  type Dispatch,
  type NodeStore,
  type RootStore,
  type StoreKind,
  type ThreadStore,
  type Workers,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { readStoreKind } from "@uncaged/workflow-register";
import type { Index, LostIndex } from "@uncaged/workflow-store";
import { hasIndex, storagePaths } from "@uncaged/workflow-util";
import { bucketOf } from "../place/bucket.ts";
import { openIndex } from "../place/open-parts.ts";
import { type RootPlace, readRootPlace } from "../place/root-place.ts";

/** Both halves of a storage root. The blobs are closed first: closing the threads closes the index. */
export type Storage = {
  cas: RootStore;
  threads: ThreadStore;
  dispatch: Dispatch;
  workers: Workers;
};

/** Opens a storage root, creating it if necessary. Throws `STORAGE_FAILED`, `STORAGE_DAMAGED`, `STORAGE_NEWER` or
 *  `CONFIG_INVALID`. */
export async function openStorage(root: string, lost: LostIndex = "refused"): Promise<Storage> {
  return opened(root, { kind: await kindOf(root), lost });
}

/** Opens only the blobs, for the duration of a call. Reading creates no index: a new root has no blobs, and in a
 *  damaged one the remaining files are read. Throws what `openStorage` throws. */
export async function withBlobs<T>(
  root: string,
  access: "read" | "write",
  use: (cas: NodeStore) => Promise<T>,
): Promise<T> {
  const kind = await kindOf(root);
  const { cas: dir } = storagePaths(root);
  if (access === "read" && !hasIndex(root)) return use(openFilesStore(dir));
  const { cas, threads } = await opened(root, { kind, lost: "refused" });
  try {
    return await use(cas);
  } finally {
    await cas.close();
    await threads.close();
  }
}

/** A folder that is never made. */
const NO_FILES = ".no-files";

async function opened(
  root: string,
  { kind, lost }: { kind: StoreKind; lost: LostIndex },
): Promise<Storage> {
  return storageOn(await openIndex(root, lost), { root, kind, place: readRootPlace(root) });
}

/** The same on an index that is open. `place`: where the index is; null: in the folder. */
export async function storageOn(
  { blobs: table, ...index }: Index,
  { root, kind, place }: { root: string; kind: StoreKind; place: RootPlace | null },
): Promise<Storage> {
  const { threads } = index;
  // The folder of a root that is elsewhere may have the files of one that was there before: they are none of its blobs.
  const dir = place === null ? storagePaths(root).cas : join(root, NO_FILES);
  const at = { dir, table, threads };
  if (place === null) return { cas: openRootStore({ ...at, kind }), ...index };
  const big = await bucketOf(place);
  const cas = openRootStore({ ...at, kind: "packed", long: big ?? "rows" });
  const close = async (): Promise<void> => {
    await cas.close();
    big?.close();
  };
  return { cas: { ...cas, close }, ...index };
}

/** Where new blobs of a root in its folder go. Throws `CONFIG_INVALID`. */
export async function kindOf(root: string): Promise<StoreKind> {
  const kind = await readStoreKind(root);
  if (kind.ok) return kind.value;
  throw new WorkflowError(kind.error);
}
