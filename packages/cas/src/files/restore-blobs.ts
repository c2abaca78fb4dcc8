import { rmSync } from "node:fs";
import { linkExclusive, syncFolder } from "@uncaged/workflow-util";
import { blobPath } from "./files-layout.ts";
import { unlessGone } from "./unless-gone.ts";

/** A sound blob that lies in an aside folder. */
export type AsideBlob = { readonly hash: string; readonly from: string };

/** Moves blobs from aside folders back into the store. Throws what the system throws. */
export async function restoreBlobs(folder: string, blobs: readonly AsideBlob[]): Promise<void> {
  if (blobs.length === 0) return;
  // Where the name is taken the same content stands already: a store holds one for each hash.
  for (const { hash, from } of blobs)
    unlessGone(() => linkExclusive(blobPath(from, hash), blobPath(folder, hash)));
  await syncFolder(folder);
  // The old name goes last: a crash before leaves two names, never none.
  for (const { hash, from } of blobs) rmSync(blobPath(from, hash), { force: true });
}
