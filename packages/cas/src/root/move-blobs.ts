/** Moves the blobs of a storage root from one place to the other, while it is in use: a blob is durable in its new
 *  place before its old copy is removed (`drop-copies.ts`). Damaged blobs stay where they are and are reported.
 *  Quarantined blobs are left to garbage collection. */
import type { MoveReport } from "@uncaged/workflow-protocol";
import { listBlobs, readBlob } from "../files/read-blob.ts";
import { writeRows } from "../rows/rows.ts";
import { inBatches, verifiedOnes } from "./batches.ts";
import { type BlobPlaces, fitsRow } from "./blob-places.ts";
import { dropFiles } from "./drop-copies.ts";
import { writeOut } from "./write-out.ts";

/** Files become rows. Throws `STORAGE_FAILED` or `CAS_COLLISION`; what was moved by then is valid. */
export async function packBlobs(places: BlobPlaces): Promise<MoveReport> {
  const { dir, table } = places;
  const report: MoveReport = { moved: 0, tooLong: 0, problems: [] };
  for (const hashes of inBatches(listBlobs(dir))) {
    const blobs = await verifiedOnes(hashes, report, async (hash) => readBlob(dir, hash));
    const rows = blobs.filter(fitsRow);
    report.tooLong += blobs.length - rows.length;
    if (rows.length === 0) continue;
    await writeRows(table, { blobs: rows, move: null });
    report.moved += await dropFiles(
      places,
      rows.map(({ hash }) => hash),
    );
  }
  return report;
}

/** Rows become files, and the index shrinks. Throws `STORAGE_FAILED` or `CAS_COLLISION`. */
export async function unpackBlobs(places: BlobPlaces): Promise<MoveReport> {
  const report = await writeOut(places, await places.table.list());
  await places.table.shrink();
  return { ...report, tooLong: 0 };
}
