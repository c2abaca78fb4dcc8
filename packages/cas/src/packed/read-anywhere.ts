import type { BlobTable } from "@uncaged/workflow-protocol";
import { readStored } from "../files/read-blob.ts";
import { readRow } from "./rows.ts";

/** Reads a sound blob wherever it lies, in place or aside; null when there is none. `table` null: there
 *  are only files. Throws `CAS_CORRUPT` or `STORAGE_FAILED`. Changes nothing. */
export function readAnywhere(
  dir: string,
  table: BlobTable | null,
): (hash: string) => Promise<string | null> {
  if (table === null) return async (hash) => readStored(dir, hash);
  return async (hash) => {
    const row = await readRow(table, hash);
    // It may be moved from one place to the other between our looks; the new one is written first.
    return row?.text ?? readStored(dir, hash) ?? (await readRow(table, hash))?.text ?? null;
  };
}
