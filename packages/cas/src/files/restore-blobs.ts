import { rmSync } from "node:fs";
import { linkExclusive, syncFolder } from "@uncaged/workflow-util";
import { blobPath } from "./files-layout.ts";
import { unlessGone } from "./unless-gone.ts";

/** A valid blob in a quarantine folder. */
export type AsideBlob = { readonly hash: string; readonly from: string };

/** Moves blobs from quarantine folders back into the store. Throws file system errors. */
export async function restoreBlobs(folder: string, blobs: readonly AsideBlob[]): Promise<void> {
  if (blobs.length === 0) return;
  // If the name is taken, the same content is there already: a store has one content per hash.
  for (const { hash, from } of blobs)
    unlessGone(() => linkExclusive(blobPath(from, hash), blobPath(folder, hash)));
  await syncFolder(folder);
  // The old name goes last: a crash before that leaves two names, never none.
  for (const { hash, from } of blobs) rmSync(blobPath(from, hash), { force: true });
}
