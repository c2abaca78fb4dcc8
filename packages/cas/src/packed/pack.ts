/** Moves the blobs of a storage root from one place to the other, while it is in use.
 *
 *  1. A blob is durable in its new place before it leaves the old one: a crash at any instant leaves it
 *     in one of them, or in both, and another run does the rest.
 *  2. It leaves the old place while nobody else writes to the index, and only if the new one has it then.
 *     So a pack and an unpack at the same time cannot each take away what the other relies on.
 *  3. What is damaged is left where it is and reported. What lies aside is left to garbage collection. */
import { existsSync, rmSync } from "node:fs";
import { failureFrom, type HeldRows, type Problem } from "@uncaged/workflow-protocol";
import { storageFailed } from "@uncaged/workflow-util";
import type { Blob } from "../blobs-of.ts";
import { blobPath } from "../files/files-layout.ts";
import { filesWriter } from "../files/files-writer.ts";
import { listBlobs, readBlob } from "../files/read-blob.ts";
import { type BlobPlaces, fitsRow } from "./root-store.ts";
import { readRow, writeRows } from "./rows.ts";

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
export async function unpackBlobs({ dir, table }: BlobPlaces): Promise<MoveReport> {
  const report: MoveReport = { moved: 0, tooLong: 0, problems: [] };
  const writeFiles = filesWriter(dir);
  for (const hashes of inBatches(await table.list())) {
    const blobs = await soundOnes(
      hashes,
      report,
      async (hash) => (await readRow(table, hash))?.text ?? null,
    );
    await writeFiles(blobs);
    await table.exclusively((held) => {
      for (const { hash } of blobs) {
        if (!existsSync(blobPath(dir, hash))) continue;
        held.remove(hash);
        report.moved += 1;
      }
    });
  }
  await table.shrink();
  return report;
}

/** Blobs that one flush is spent on. */
const BATCH = 64;

function* inBatches(hashes: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < hashes.length; at += BATCH) yield hashes.slice(at, at + BATCH);
}

/** What is gone by now is passed over, what is damaged is noted. */
async function soundOnes(
  hashes: readonly string[],
  report: MoveReport,
  read: (hash: string) => Promise<string | null>,
): Promise<Blob[]> {
  const blobs: Blob[] = [];
  for (const hash of hashes) {
    try {
      const text = await read(hash);
      if (text !== null) blobs.push({ hash, bytes: Buffer.from(text) });
    } catch (thrown) {
      const { code, message } = failureFrom(thrown, "INTERNAL");
      if (code !== "CAS_CORRUPT") throw thrown;
      report.problems.push({ code, hash, message });
    }
  }
  return blobs;
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
