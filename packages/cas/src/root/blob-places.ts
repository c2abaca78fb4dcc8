import type { BlobTable } from "@uncaged/workflow-protocol";
import type { Blob } from "../node/blobs-of.ts";

/** Both places where blobs of a storage root may lie. */
export type BlobPlaces = {
  /** Folder of the files. */
  dir: string;
  table: BlobTable;
};

/** A longer blob is a file whatever the kind: a page of a database at a time, and copied at every
 *  checkpoint, it would be slow to write and slow to read. */
export const PACKED_MAX_BYTES: number = 256 * 1024;

export function fitsRow({ bytes }: Blob): boolean {
  return bytes.length <= PACKED_MAX_BYTES;
}
