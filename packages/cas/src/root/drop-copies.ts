/** Removes the old copies of moved blobs, while the storage root is in use and others may be moving the same blobs in
 *  the opposite direction.
 *
 *  1. The new copy is durable before this begins.
 *  2. The old copy is quarantined. Readers still find it, but from here on nobody sees it in place: a writer that needs
 *     the blob stores it again, or restores it.
 *  3. Then the new copy is checked. If it is in place, every writer that saw the old one in place did so before that
 *     moment; so by the times that `gc.ts` relies on, the new copy is as good. If it is not in place, the old one is
 *     restored.
 *  4. Only quarantined copies are deleted. So of two processes that move a blob in opposite directions, at most one
 *     finds the other's copy in place; and a copy that somebody restored meanwhile stays.
 *  5. A crash in between leaves the old copy in quarantine, where it can be read; a garbage collection restores it. */
import { existsSync, rmdirSync } from "node:fs";
import { storageFailed } from "@uncaged/workflow-util";
import { asidePath, blobPath } from "../files/files-layout.ts";
import { restoreBlobs } from "../files/restore-blobs.ts";
import { purgeFiles, quarantineFiles } from "../files/sweep.ts";
import { unlessGone } from "../files/unless-gone.ts";
import type { BlobPlaces } from "./blob-places.ts";

/** A reader that comes between 2 and 4 restores a row, and rarely another one right after it. */
const TRIES = 3;

/** Rows that also exist as files. Returns how many were removed. Throws `STORAGE_FAILED`. */
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

/** Files that also exist as rows. Returns how many were removed. Throws `STORAGE_FAILED`. */
export async function dropFiles(
  { dir, table }: BlobPlaces,
  hashes: readonly string[],
): Promise<number> {
  const from = asidePath(dir, Date.now());
  const aside = hashes.map((hash) => ({ hash, from }));
  try {
    quarantineFiles(dir, { hashes, to: from });
    const moved = new Set(await table.present(hashes));
    await restoreBlobs(
      dir,
      aside.filter(({ hash }) => !moved.has(hash)),
    );
    // Not flushed: a file that reappears after a power cut is a second copy, and the next move removes it.
    purgeFiles(aside.filter(({ hash }) => moved.has(hash)));
    unlessGone(() => rmdirSync(from));
    return moved.size;
  } catch (cause) {
    await restoreBlobs(dir, aside).catch(() => {});
    throw storageFailed(`cannot remove the files of ${hashes.length} blobs in ${dir}`, cause);
  }
}
