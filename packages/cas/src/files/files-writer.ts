import { dirname } from "node:path";
import { storageFailed, syncFolder } from "@uncaged/workflow-util";
import type { Blob } from "../node/blobs-of.ts";
import { writeBlobs } from "./write-blobs.ts";

/** Makes blobs durable in a folder, which is created with the first of them. Throws what `writeBlobs` throws. */
export function filesWriter(folder: string): (blobs: readonly Blob[]) => Promise<void> {
  let folderIsDurable = false;
  return async (blobs) => {
    if (blobs.length === 0) return;
    await writeBlobs(folder, blobs);
    if (folderIsDurable) return;
    // The process that created the folder may not have flushed its name yet.
    await flushName(folder);
    folderIsDurable = true;
  };
}

async function flushName(folder: string): Promise<void> {
  try {
    await syncFolder(dirname(folder));
  } catch (cause) {
    throw storageFailed(`cannot flush the name of ${folder}`, cause);
  }
}
