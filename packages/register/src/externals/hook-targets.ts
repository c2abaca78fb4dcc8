import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ExternalBases } from "./external-bases.ts";
import type { HookTargets } from "./external-hooks.ts";

/** The hooks' targets for the bundles of a storage root: in real paths, as Node names modules, and as the locked
 *  child needs them, which may not follow links that lie outside of what it may read. */
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

/** What of the path is not there stays as it is named. */
function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realFolder(dirname(path)), basename(path));
  }
}
