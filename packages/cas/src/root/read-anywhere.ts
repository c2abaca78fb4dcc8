import { readStored } from "../files/read-blob.ts";
import { readRow } from "../rows/rows.ts";
import type { BlobPlaces } from "./blob-places.ts";

/** Reads a valid blob from either place, quarantined or not; null when there is none. Throws `CAS_CORRUPT` or
 *  `STORAGE_FAILED`. Changes nothing. */
export function readAnywhere({ dir, table }: BlobPlaces): (hash: string) => Promise<string | null> {
  return async (hash) => {
    const row = await readRow(table, hash);
    // It may be moved to the other place between our two reads; the new copy is written first.
    return row?.text ?? readStored(dir, hash) ?? (await readRow(table, hash))?.text ?? null;
  };
}
