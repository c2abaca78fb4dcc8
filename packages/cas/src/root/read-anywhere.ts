import { readStored } from "../files/read-blob.ts";
import { readRow } from "../rows/rows.ts";
import type { BlobPlaces } from "./blob-places.ts";

/** Reads a sound blob wherever it lies, in place or aside; null when there is none. Throws `CAS_CORRUPT` or
 *  `STORAGE_FAILED`. Changes nothing. */
export function readAnywhere({ dir, table }: BlobPlaces): (hash: string) => Promise<string | null> {
  return async (hash) => {
    const row = await readRow(table, hash);
    // It may be moved from one place to the other between our looks; the new one is written first.
    return row?.text ?? readStored(dir, hash) ?? (await readRow(table, hash))?.text ?? null;
  };
}
