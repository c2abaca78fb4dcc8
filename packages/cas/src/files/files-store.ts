import { rmSync } from "node:fs";
import { dirname } from "node:path";
import type { EncodedNode, NodeStore } from "@uncaged/workflow-protocol";
import { storageFailed, syncFolder } from "@uncaged/workflow-util";
import { encodeContent } from "../node/codec.ts";
import { hashBytes } from "../node/hash.ts";
import { checkedHash, collision, misnamed } from "../store-failures.ts";
import { bringBack } from "./bring-back.ts";
import { blobPath } from "./files-layout.ts";
import { asideFolders, findAside, listBlobs, readBlob } from "./read-blob.ts";
import { type Blob, writeBlobs } from "./write-blobs.ts";

/** The store in `<folder>/<hash>.txt`. The folder is made with the first blob. Holds nothing open,
 *  so there is nothing to close. */
export function openFilesStore(folder: string): NodeStore {
  let folderIsDurable = false;
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
    async delete(hash) {
      await remove(folder, checkedHash(hash));
    },
    async list() {
      return listBlobs(folder);
    },
  };

  async function write(nodes: readonly EncodedNode[]): Promise<void> {
    if (nodes.length === 0) return;
    await writeBlobs(folder, blobsOf(nodes));
    if (folderIsDurable) return;
    // Whoever made the folder may not have come to flushing its name yet.
    await flushName(folder);
    folderIsDurable = true;
  }
}

async function flushName(folder: string): Promise<void> {
  try {
    await syncFolder(dirname(folder));
  } catch (cause) {
    throw storageFailed(`cannot flush the name of ${folder}`, cause);
  }
}

/** Each blob once, and under its own name. */
function blobsOf(nodes: readonly EncodedNode[]): Blob[] {
  const blobs = new Map<string, Blob>();
  for (const { hash, text } of nodes) {
    const bytes = Buffer.from(text);
    const actual = hashBytes(bytes);
    if (actual !== hash) throw misnamed(hash, actual);
    const twin = blobs.get(hash);
    if (twin !== undefined && !twin.bytes.equals(bytes)) throw collision(hash);
    blobs.set(hash, { hash, bytes });
  }
  return [...blobs.values()];
}

/** A blob that was set aside as dead comes back when it is asked for: someone may be about to
 *  refer to it. If that fails (a read-only disk), the reader still gets the text. */
async function recover(folder: string, hash: string): Promise<string | null> {
  const aside = findAside(folder, hash);
  // Without one, look again: another reader may have brought it back after our first look.
  if (aside === null) return readBlob(folder, hash);
  await bringBack(folder, [{ hash, from: aside.folder }]).catch(() => {});
  return aside.text;
}

async function remove(folder: string, hash: string): Promise<void> {
  try {
    for (const place of [folder, ...asideFolders(folder)])
      rmSync(blobPath(place, hash), { force: true });
    await syncFolder(folder);
  } catch (cause) {
    throw storageFailed(`cannot delete blob ${hash}`, cause);
  }
}
