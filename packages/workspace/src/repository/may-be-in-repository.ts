import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** False: certainly in no work tree. Costs a look at each folder above; git is not started. */
export function mayBeInRepository(folder: string): boolean {
  return workTreeAround(folder) !== null;
}

/** Root of what looks like the work tree that a folder is in; null: it is in none. The same cost. */
export function workTreeAround(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return null;
  }
}
