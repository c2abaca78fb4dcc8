import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** False: certainly in no work tree. Costs a look at each folder above; git is not started. */
export function mayBeInRepository(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return true;
    if (at === dirname(at)) return false;
  }
}
