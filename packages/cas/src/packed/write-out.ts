/** Rows become files, while the storage root is in use.
 *
 *  1. A file and its name are durable before its row goes: a crash at any instant leaves the blob a row, a
 *     file, or both, and another run does the rest.
 *  2. The row goes while nobody else writes to the index, and only if the file stands then. So whoever turns
 *     files into rows at the same time does not take away what this relies on.
 *  3. What is damaged is left where it is and reported. */
import { existsSync } from "node:fs";
import type { Problem } from "@uncaged/workflow-protocol";
import { blobPath } from "../files/files-layout.ts";
import { filesWriter } from "../files/files-writer.ts";
import { inBatches, soundOnes } from "./batches.ts";
import type { BlobPlaces } from "./root-store.ts";
import { readRow } from "./rows.ts";

/** What is no row by now is passed over. Throws `STORAGE_FAILED` or `CAS_COLLISION`; what was moved by then
 *  is sound. */
export async function writeOut(
  { dir, table }: BlobPlaces,
  hashes: readonly string[],
): Promise<{ moved: number; problems: Problem[] }> {
  const report = { moved: 0, problems: [] };
  const writeFiles = filesWriter(dir);
  for (const batch of inBatches(hashes)) {
    const blobs = await soundOnes(
      batch,
      report,
      async (hash) => (await readRow(table, hash))?.text ?? null,
    );
    if (blobs.length === 0) continue;
    await writeFiles(blobs);
    await table.exclusively((held) => {
      for (const { hash } of blobs) {
        if (!existsSync(blobPath(dir, hash))) continue;
        held.remove(hash);
        report.moved += 1;
      }
    });
  }
  return report;
}
