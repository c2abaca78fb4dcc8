import { realpathSync } from "node:fs";
import { type LocatedPackage, locateUpwards, readManifest } from "./locate-package.ts";

/** Every folder that is read when these packages are imported: their own, those of all they depend on, and the links
 *  that lead there. */
export function readableFolders(packages: readonly LocatedPackage[]): string[] {
  const readable = new Set<string>();
  const waiting = packages.map(({ folder }) => folder);
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (readable.has(folder)) continue;
    const real = realpathSync(folder);
    const seen = readable.has(real);
    readable.add(folder).add(real);
    if (seen) continue;
    for (const name of readManifest(real)?.dependencies ?? []) {
      // A dependency that is not installed is not read either: peers and optional ones may be absent.
      const found = locateUpwards(name, real);
      if (found !== null) waiting.push(found.folder);
    }
  }
  return [...readable];
}
