import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Disk usage of a folder, in whole blocks. Others may be writing to it. */
export function diskBytes(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => statSync(join(parentPath, name), { throwIfNoEntry: false }))
    .reduce((sum, stats) => sum + (stats?.blocks ?? 0) * 512, 0);
}
