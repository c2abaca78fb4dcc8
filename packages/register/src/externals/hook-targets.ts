import { realpathSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ExternalBases } from "./external-bases.ts";
import type { HookTargets } from "./external-hooks.ts";

/** The hooks' targets for the bundles of a storage root. */
export function hookTargets(bases: ExternalBases): HookTargets {
  // Node names modules by their real paths.
  const bundles = join(realpathIfThere(bases.root), "bundles");
  return { bundles: pathToFileURL(`${bundles}/`).href, bases };
}

function realpathIfThere(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
