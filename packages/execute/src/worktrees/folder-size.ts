import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

const BLOCK_BYTES = 512;

/** Bytes that a folder takes on the disk. Links are not followed; what goes meanwhile does not count. */
export async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const stats = await lstat(path).catch(() => null);
    bytes += (stats?.blocks ?? 0) * BLOCK_BYTES;
    if (entry.isDirectory()) bytes += await folderSize(path);
  }
  return bytes;
}
