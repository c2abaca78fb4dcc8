/** The blobs of a storage root, which are in two places: rows of the index, and files.
 *
 *  1. `kind` says where new blobs go: into files, or into rows if they are short enough. In a root of files, a step's
 *     blobs go into rows first, too: they take one flush together with the head, and are written out as files later.
 *  2. Both places are read, whatever the kind. So a root can change its kind, and its blobs can be moved, while it is
 *     in use.
 *  3. A put relies on its own place only. In the other one it only looks for a collision; a blob may be in both.
 *  4. A blob is written to its new place before it leaves the old one. So a reader that finds it in neither looks into
 *     the first again. */
import type {
  BlobTable,
  EncodedNode,
  HeadMove,
  NodeStore,
  RootStore,
  SignalKind,
  StoreKind,
} from "@uncaged/workflow-protocol";
import { openFilesStore } from "../files/files-store.ts";
import { filesWriter } from "../files/files-writer.ts";
import { readBlob } from "../files/read-blob.ts";
import { refuseCollisions } from "../files/write-blobs.ts";
import { type Blob, blobsOf } from "../node/blobs-of.ts";
import { encodeContent } from "../node/codec.ts";
import { checkedHash } from "../node/store-failures.ts";
import { readManyRows, readRow, refuseCollisionsInRows, writeRows } from "../rows/rows.ts";
import type { BlobPlaces } from "./blob-places.ts";
import type { WriteBehind } from "./write-behind.ts";

export function blobsInPlaces(
  { dir, table }: BlobPlaces,
  { kind, behind, fits }: { kind: StoreKind; behind: WriteBehind; fits: (blob: Blob) => boolean },
): NodeStore & Pick<RootStore, "publish"> {
  const files = openFilesStore(dir);
  const writeFiles = filesWriter(dir);

  const store = async (
    nodes: readonly EncodedNode[],
    move: HeadMove | null,
  ): Promise<readonly SignalKind[]> => {
    const blobs = blobsOf(nodes);
    const toRow = (blob: Blob): boolean => (kind === "packed" || move !== null) && fits(blob);
    const rows = blobs.filter(toRow);
    const others = blobs.filter((blob) => !toRow(blob));
    refuseCollisions(dir, rows);
    await refuseCollisionsInRows(table, others);
    await writeFiles(others);
    if (rows.length === 0 && move === null) return [];
    await behind.makeRoom();
    // The head moves last, or together with the last of what it names.
    const signals = await writeRows(table, { blobs: rows, move });
    behind.add(rows);
    return signals;
  };
  const inFile = async (hash: string): Promise<string | null> => readBlob(dir, hash);
  const inFiles = (hash: string): Promise<string | null> => files.get(hash);
  const inRow = (hash: string): Promise<string | null> => readBack(table, hash);
  const rowFirst = [inRow, inFiles, inRow];
  const fileFirst = [inFile, inRow, inFiles];
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
      for (const look of behind.has(hash) ? rowFirst : fileFirst) {
        const text = await look(hash);
        if (text !== null) return text;
      }
      return null;
    },
    // First where they most likely are: blobs in the other place are read one by one.
    async getMany(hashes) {
      const rows = hashes.filter((hash) => behind.has(hash));
      const others = hashes.filter((hash) => !behind.has(hash));
      return new Map([...(await readManyRows(table, rows)), ...(await files.getMany(others))]);
    },
    async delete(hash) {
      await table.delete(checkedHash(hash));
      await files.delete(hash);
    },
    async list() {
      return [...new Set([...(await table.list()), ...(await files.list())])].sort();
    },
  };
}

/** A quarantined blob is restored when it is read: the reader may be about to refer to it. If that fails (a read-only
 *  disk), the reader still gets the text. */
async function readBack(table: BlobTable, hash: string): Promise<string | null> {
  const row = await readRow(table, hash);
  if (row?.aside) await table.restore([hash]).catch(() => {});
  return row?.text ?? null;
}
