import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type LocatedPackage, locateUpwards, readManifest } from "./locate-package.ts";

/** Every folder that is read when these packages are imported: their own, those of all their dependencies, and the
 *  links that lead there. */
export function readableFolders(packages: readonly LocatedPackage[]): string[] {
  const readable = new Set<string>();
  const waiting = packages.map(({ folder }) => folder);
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const real = realpathSync(folder);
    const seen = readable.has(real);
    readable.add(real);
    for (const link of linksOn(folder)) readable.add(link);
    if (seen) continue;
    for (const name of readManifest(real)?.dependencies ?? []) {
      // A dependency that is not installed is not read either: peer and optional ones may be absent.
      const found = locateUpwards(name, real);
      if (found !== null) waiting.push(found.folder);
    }
  }
  return [...readable];
}

/** The symbolic links that are followed on the way to a path, itself included, each under every name by which it is
 *  reached. */
function linksOn(path: string): string[] {
  const parent = dirname(path);
  if (parent === path) return [];
  const above = linksOn(parent);
  const here = join(realpathSync(parent), basename(path));
  if (!lstatSync(here).isSymbolicLink()) return above;
  return [...above, path, here, ...linksOn(resolve(dirname(here), readlinkSync(here)))];
}
