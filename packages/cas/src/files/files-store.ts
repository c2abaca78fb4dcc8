import { existsSync, rmSync } from "node:fs";
import type { EncodedNode, NodeStore } from "@uncaged/workflow-protocol";
import { storageFailed, syncFolder } from "@uncaged/workflow-util";
import { blobsOf } from "../node/blobs-of.ts";
import { encodeContent } from "../node/codec.ts";
import { checkedHash } from "../node/store-failures.ts";
import { verifiedMany } from "../node/verified-many.ts";
import { blobPath } from "./files-layout.ts";
import { filesWriter } from "./files-writer.ts";
import { asideFolders, findAside, listBlobs, readBlob } from "./read-blob.ts";
import { restoreBlobs } from "./restore-blobs.ts";

/** The store in `<folder>/<hash>.txt`. The folder is created with the first blob. Nothing is kept open, so there is
 *  nothing to close. */
export function openFilesStore(folder: string): NodeStore {
  const writeFiles = filesWriter(folder);
  const write = async (nodes: readonly EncodedNode[]): Promise<void> => writeFiles(blobsOf(nodes));
  return {
    async put(content) {
      const node = encodeContent(content);
      await write([node]);
      return node.hash;
    },
    putBatch: write,
    async get(hash) {
      return readBlob(folder, checkedHash(hash)) ?? (await recover(folder, hash));
    },
    async getMany(hashes) {
      return verifiedMany(hashes, (hash) => readBlob(folder, hash));
    },
    async delete(hash) {
      await remove(folder, checkedHash(hash));
    },
    async list() {
      return listBlobs(folder);
    },
  };
}

/** A quarantined blob is restored when it is read: the reader may be about to refer to it. If that fails (a read-only
 *  disk), the reader still gets the text. */
async function recover(folder: string, hash: string): Promise<string | null> {
  const aside = findAside(folder, hash);
  // If there is none, look again: another reader may have restored it after our first look.
  if (aside === null) return readBlob(folder, hash);
  await restoreBlobs(folder, [{ hash, from: aside.folder }]).catch(() => {});
  return aside.text;
}

async function remove(folder: string, hash: string): Promise<void> {
  if (!existsSync(folder)) return;
  try {
    for (const place of [folder, ...asideFolders(folder)])
      rmSync(blobPath(place, hash), { force: true });
    await syncFolder(folder);
  } catch (cause) {
    throw storageFailed(`cannot delete blob ${hash}`, cause);
  }
}
