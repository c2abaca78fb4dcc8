import { existsSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";

/** Where a bundle goes by default: `dist/<entry>.esm.js` in the package that the entry belongs to, or in the working
 *  directory when it belongs to none. */
export function defaultOutput(entry: string, cwd: string): string {
  const name = basename(entry, extname(entry));
  return join(packageFolder(dirname(entry)) ?? cwd, "dist", `${name}.esm.js`);
}

function packageFolder(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, "package.json"))) return at;
    if (dirname(at) === at) return null;
  }
}
