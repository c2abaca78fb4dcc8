import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** What a folder takes on disk, in whole blocks. Others may be writing to it. */
export function diskBytes(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => statSync(join(parentPath, name), { throwIfNoEntry: false }))
    .reduce((sum, stats) => sum + (stats?.blocks ?? 0) * 512, 0);
}
