/** Takes the old copies of moved blobs away, while the storage root is in use and others may be moving the same
 *  blobs in the other direction.
 *
 *  1. The new copy is durable before this begins.
 *  2. The old copy is set aside. Readers still find it, but from here on nobody sees it in place: a writer who needs
 *     the blob stores it anew, or brings it back.
 *  3. Then the new copy is looked for. Where it stands, whoever saw the old one in place did so before that; so by the
 *     times that `gc.ts` goes by, the new one is as good. Where it does not, the old one is brought back.
 *  4. Only what lies aside is deleted. So of two who move a blob in opposite directions, at most one finds the
 *     other's copy standing; and what somebody brought back meanwhile stays.
 *  5. A crash in between leaves the old copy aside, where it is read; a garbage collection brings it back. */
import { existsSync, rmdirSync } from "node:fs";
import { storageFailed } from "@uncaged/workflow-util";
import { asidePath, blobPath } from "../files/files-layout.ts";
import { restoreBlobs } from "../files/restore-blobs.ts";
import { purgeFiles, quarantineFiles } from "../files/sweep.ts";
import { unlessGone } from "../files/unless-gone.ts";
import type { BlobPlaces } from "./blob-places.ts";

/** A reader who comes between 2 and 4 brings a row back, and rarely another one right after it. */
const TRIES = 3;

/** Rows of which there are files by now. Returns how many went. Throws `STORAGE_FAILED`. */
export async function dropRows(
  { dir, table }: BlobPlaces,
  hashes: readonly string[],
): Promise<number> {
  let dropped = 0;
  let rows = hashes;
  for (let tries = 0; tries < TRIES && rows.length > 0; tries += 1) {
    const untilMs = await table.quarantine(rows, Date.now());
    const moved = rows.filter((hash) => existsSync(blobPath(dir, hash)));
    if (moved.length < rows.length)
      await table.restore(rows.filter((hash) => !moved.includes(hash)));
    const gone = new Set(await table.purge(moved, untilMs));
    dropped += gone.size;
    rows = moved.filter((hash) => !gone.has(hash));
  }
  return dropped;
}

/** Files of which there are rows by now. Returns how many went. Throws `STORAGE_FAILED`. */
export async function dropFiles(
  { dir, table }: BlobPlaces,
  hashes: readonly string[],
): Promise<number> {
  const from = asidePath(dir, Date.now());
  const aside = hashes.map((hash) => ({ hash, from }));
  try {
    quarantineFiles(dir, { hashes, to: from });
    const moved = new Set(await table.standing(hashes));
    await restoreBlobs(
      dir,
      aside.filter(({ hash }) => !moved.has(hash)),
    );
    // Not flushed: a file that a power cut brings back is a second copy, and the next move takes it.
    purgeFiles(aside.filter(({ hash }) => moved.has(hash)));
    unlessGone(() => rmdirSync(from));
    return moved.size;
  } catch (cause) {
    await restoreBlobs(dir, aside).catch(() => {});
    throw storageFailed(`cannot remove the files of ${hashes.length} blobs in ${dir}`, cause);
  }
}
