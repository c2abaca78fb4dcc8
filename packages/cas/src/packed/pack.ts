/** Moves the blobs of a storage root from one place to the other, while it is in use.
 *
 *  1. A blob is durable in its new place before it leaves the old one: a crash at any instant leaves it
 *     in one of them, or in both, and another run does the rest.
 *  2. It leaves the old place while nobody else writes to the index, and only if the new one has it then.
 *     So a pack and an unpack at the same time cannot each take away what the other relies on.
 *  3. What is damaged is left where it is and reported. What lies aside is left to garbage collection. */
import { rmSync } from "node:fs";
import type { HeldRows, Problem } from "@uncaged/workflow-protocol";
import { storageFailed } from "@uncaged/workflow-util";
import { blobPath } from "../files/files-layout.ts";
import { listBlobs, readBlob } from "../files/read-blob.ts";
import { inBatches, soundOnes } from "./batches.ts";
import { type BlobPlaces, fitsRow } from "./root-store.ts";
import { writeRows } from "./rows.ts";
import { writeOut } from "./write-out.ts";

export type MoveReport = {
  moved: number;
  /** Blobs that are too long for a row; they stay files. */
  tooLong: number;
  problems: Problem[];
};

/** Files become rows. Throws `STORAGE_FAILED` or `CAS_COLLISION`; what was moved by then is sound. */
export async function packBlobs({ dir, table }: BlobPlaces): Promise<MoveReport> {
  const report: MoveReport = { moved: 0, tooLong: 0, problems: [] };
  for (const hashes of inBatches(listBlobs(dir))) {
    const blobs = await soundOnes(hashes, report, async (hash) => readBlob(dir, hash));
    const rows = blobs.filter(fitsRow);
    report.tooLong += blobs.length - rows.length;
    if (rows.length === 0) continue;
    await writeRows(table, { blobs: rows, move: null });
    await table.exclusively((held) => {
      for (const { hash } of rows) report.moved += removeFile(dir, hash, held);
    });
  }
  return report;
}

/** Rows become files, and the index shrinks. Throws `STORAGE_FAILED` or `CAS_COLLISION`. */
export async function unpackBlobs(places: BlobPlaces): Promise<MoveReport> {
  const report = await writeOut(places, await places.table.list());
  await places.table.shrink();
  return { ...report, tooLong: 0 };
}

/** How many files went: one, or none when a collection set the row aside meanwhile. */
function removeFile(dir: string, hash: string, held: HeldRows): number {
  if (!held.has(hash)) return 0;
  try {
    // Not flushed: a file that a power cut brings back is a second copy, and the next run takes it.
    rmSync(blobPath(dir, hash), { force: true });
    return 1;
  } catch (cause) {
    throw storageFailed(`cannot remove the file of blob ${hash}`, cause);
  }
}
