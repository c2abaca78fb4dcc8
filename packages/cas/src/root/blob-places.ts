import type { BlobTable } from "@uncaged/workflow-protocol";
import type { Blob } from "../node/blobs-of.ts";

/** The two places where blobs of a storage root may be. */
export type BlobPlaces = {
  /** Folder of the files. */
  dir: string;
  table: BlobTable;
};

/** A longer blob is always a file: in a database it would be split into pages and copied at every checkpoint, which
 *  makes it slow to write and slow to read. */
export const PACKED_MAX_BYTES: number = 256 * 1024;

export function fitsRow({ bytes }: Blob): boolean {
  return bytes.length <= PACKED_MAX_BYTES;
}
