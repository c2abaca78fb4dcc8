import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ExternalBases } from "./external-bases.ts";
import type { HookTargets } from "./external-hooks.ts";

/** The hooks' targets for the bundles of a storage root: as real paths, because Node names modules that way, and
 *  because the locked child may not follow links that are outside what it may read. */
export function hookTargets({ root, packagesBase, project }: ExternalBases): HookTargets {
  const real = realFolder(root);
  const bases = { root: real, packagesBase: realModule(packagesBase) };
  return {
    bundles: pathToFileURL(`${join(real, "bundles")}/`).href,
    bases: project === undefined ? bases : { ...bases, project: realModule(project) },
  };
}

function realModule(url: string): string {
  const path = fileURLToPath(url);
  return pathToFileURL(join(realFolder(dirname(path)), basename(path))).href;
}

/** The part of the path that does not exist is kept as written. */
function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realFolder(dirname(path)), basename(path));
  }
}
