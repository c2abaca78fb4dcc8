import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CACHE = fileURLToPath(new URL("../../.cache/", import.meta.url));
const MEMORY = "/dev/shm";

/** A folder for one benchmark, deleted after `use`. It is on the repository's disk, so that flushes have their real
 *  cost; a benchmark that only reads may ask for one in memory, which is faster to fill. */
export async function withScratchFolder(use, { flushes } = { flushes: "cost" }) {
  const inMemory = flushes === "cost-nothing" && existsSync(MEMORY);
  const parent = inMemory ? MEMORY : CACHE;
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "bench-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
