import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CACHE = fileURLToPath(new URL("../../.cache/", import.meta.url));
const MEMORY = "/dev/shm";

/** A folder for one benchmark, gone when `use` is done. It lies on the disk that the repository is on, where
 *  a flush costs what it costs; a benchmark that only reads may ask for one in memory, to be made faster. */
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
