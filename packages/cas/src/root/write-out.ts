/** Rows become files, while the storage root is in use. A file and its name are durable before its row is removed.
 *  Damaged blobs stay where they are and are reported. */
import type { Problem } from "@uncaged/workflow-protocol";
import { filesWriter } from "../files/files-writer.ts";
import { readRow } from "../rows/rows.ts";
import { inBatches, verifiedOnes } from "./batches.ts";
import type { BlobPlaces } from "./blob-places.ts";
import { dropRows } from "./drop-copies.ts";

/** Blobs that are no longer rows are skipped. Throws `STORAGE_FAILED` or `CAS_COLLISION`; what was moved by then is
 *  valid. */
export async function writeOut(
  places: BlobPlaces,
  hashes: readonly string[],
): Promise<{ moved: number; problems: Problem[] }> {
  const report = { moved: 0, problems: [] };
  const writeFiles = filesWriter(places.dir);
  for (const batch of inBatches(hashes)) {
    const blobs = await verifiedOnes(
      batch,
      report,
      async (hash) => (await readRow(places.table, hash))?.text ?? null,
    );
    if (blobs.length === 0) continue;
    await writeFiles(blobs);
    report.moved += await dropRows(
      places,
      blobs.map(({ hash }) => hash),
    );
  }
  return report;
}
