/** A storage root that is being unpacked, which nobody uses yet. */
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openFilesStore, sha256Hex } from "@uncaged/workflow-cas";
import type { EncodedNode } from "@uncaged/workflow-protocol";
import { makeFolderSync, storageFailed, storagePaths, syncFolder } from "@uncaged/workflow-util";

export type StagedRoot = {
  addBlob(hash: string, content: Buffer): Promise<void>;
  /** `name`: a path in the root, which must have been checked. */
  addFile(name: string, content: Buffer): Promise<void>;
  /** The next piece of the index. */
  addPiece(content: Buffer): Promise<void>;
  /** When it returns, all of it survives a power cut. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** Every member throws `STORAGE_FAILED`. */
export function stagedRoot(staged: string): StagedRoot {
  const paths = storagePaths(staged);
  const blobs = openFilesStore(paths.cas);
  const folders = new Set<string>();
  let index: FileHandle | null = null;
  let waiting: EncodedNode[] = [];
  let waitingBytes = 0;
  const putBlobs = async (): Promise<void> => {
    await blobs.putBatch(waiting);
    waiting = [];
    waitingBytes = 0;
  };
  return {
    async addBlob(hash: string, content: Buffer): Promise<void> {
      const text = content.toString("utf8");
      waiting.push({ hash, text, sha256: sha256Hex(content) });
      waitingBytes += content.length;
      if (waiting.length >= BATCH_BLOBS || waitingBytes >= BATCH_BYTES) await putBlobs();
    },
    async addFile(name: string, content: Buffer): Promise<void> {
      const path = join(staged, name);
      const folder = dirname(path);
      makeFolderSync(folder);
      folders.add(folder);
      const file = await created(path);
      try {
        await writeAll(file, content);
        await file.sync();
      } finally {
        await file.close();
      }
    },
    async addPiece(content: Buffer): Promise<void> {
      index ??= await created(paths.index);
      await writeAll(index, content);
    },
    async flush(): Promise<void> {
      await putBlobs();
      await index?.sync();
      for (const folder of folders) await syncFolder(folder);
      await syncFolder(staged);
    },
    close: async (): Promise<void> => index?.close(),
  };
}

const BATCH_BLOBS = 512;
const BATCH_BYTES = 16 * 1024 * 1024;

async function created(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", 0o600);
  } catch (cause) {
    throw storageFailed(`cannot write ${path}`, cause);
  }
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  try {
    for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
  } catch (cause) {
    throw storageFailed("cannot write what the backup holds", cause);
  }
}
