/** The store of a storage root. Its blobs lie in two places: rows of the index, and files.
 *
 *  1. `kind` says where new blobs go: into files, or into rows if they are not too long for one.
 *  2. Both places are read, whatever the kind. So a root changes its kind, and its blobs are moved,
 *     while it is in use.
 *  3. A put relies on its own place alone. In the other it only looks for a collision; a blob may lie
 *     in both.
 *  4. Whoever moves a blob writes it in its new place before it leaves the old one. So a reader who
 *     finds it in neither looks into the first again. */
import type {
  BlobTable,
  EncodedNode,
  HeadMove,
  NodeStore,
  SignalKind,
} from "@uncaged/workflow-protocol";
import { type Blob, blobsOf } from "../blobs-of.ts";
import { openFilesStore } from "../files/files-store.ts";
import { filesWriter } from "../files/files-writer.ts";
import { refuseCollisions } from "../files/write-blobs.ts";
import { encodeContent } from "../node/codec.ts";
import { checkedHash } from "../store-failures.ts";
import { readManyRows, readRow, refuseCollisionsInRows, writeRows } from "./rows.ts";

export type StoreKind = "files" | "packed";

/** Both places where blobs of a storage root may lie. */
export type BlobPlaces = {
  /** Folder of the files. */
  dir: string;
  table: BlobTable;
};

export type RootStore = NodeStore & {
  /** Stores a step's nodes and moves the head to it: one transaction where they are rows, else
   *  the nodes first. Gives the signals that wait. Throws what `putBatch` and `ThreadStore.advance`
   *  throw. */
  publish(nodes: readonly EncodedNode[], move: HeadMove): Promise<readonly SignalKind[]>;
};

/** A longer blob is a file whatever the kind: a page of a database at a time, and copied at every
 *  checkpoint, it would be slow to write and slow to read. */
export const PACKED_MAX_BYTES: number = 256 * 1024;

export function openRootStore({ dir, table, kind }: BlobPlaces & { kind: StoreKind }): RootStore {
  const files = openFilesStore(dir);
  const writeFiles = filesWriter(dir);
  const places = [(hash: string) => files.get(hash), (hash: string) => readBack(table, hash)];
  if (kind === "packed") places.reverse();

  const store = async (
    nodes: readonly EncodedNode[],
    move: HeadMove | null,
  ): Promise<readonly SignalKind[]> => {
    const blobs = blobsOf(nodes);
    const isRow = (blob: Blob): boolean => kind === "packed" && fitsRow(blob);
    const rows = blobs.filter(isRow);
    const others = blobs.filter((blob) => !isRow(blob));
    refuseCollisions(dir, rows);
    await refuseCollisionsInRows(table, others);
    await writeFiles(others);
    // The head moves last, or together with the last of what it names.
    return rows.length > 0 || move !== null ? writeRows(table, { blobs: rows, move }) : [];
  };
  return {
    async put(content) {
      const node = encodeContent(content);
      await store([node], null);
      return node.hash;
    },
    async putBatch(nodes) {
      await store(nodes, null);
    },
    publish: store,
    async get(hash) {
      checkedHash(hash);
      for (const look of [...places, ...places.slice(0, 1)]) {
        const text = await look(hash);
        if (text !== null) return text;
      }
      return null;
    },
    // Where new blobs of this kind go: what lies in the other place is read one by one.
    getMany: kind === "packed" ? (hashes) => readManyRows(table, hashes) : files.getMany,
    async delete(hash) {
      await table.delete(checkedHash(hash));
      await files.delete(hash);
    },
    async list() {
      return [...new Set([...(await table.list()), ...(await files.list())])].sort();
    },
  };
}

export function fitsRow({ bytes }: Blob): boolean {
  return bytes.length <= PACKED_MAX_BYTES;
}

/** A blob that was set aside as dead comes back when it is asked for: someone may be about to refer
 *  to it. If that fails (a read-only disk), the reader still gets the text. */
async function readBack(table: BlobTable, hash: string): Promise<string | null> {
  const row = await readRow(table, hash);
  if (row?.aside) await table.bringBack([hash]).catch(() => {});
  return row?.text ?? null;
}
