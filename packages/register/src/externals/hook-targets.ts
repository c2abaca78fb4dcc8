import { realpathSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ExternalBases } from "./external-bases.ts";
import type { HookTargets } from "./external-hooks.ts";

/** The hooks' targets for the bundles of a storage root. */
export function hookTargets({ root, packagesBase }: ExternalBases): HookTargets {
  // Node names modules by their real paths.
  const real = realpathIfThere(root);
  return {
    bundles: pathToFileURL(join(real, "bundles") + "/").href,
    lookups: [
      {
        from: pathToFileURL(join(real, "bundle.js")).href,
        only: pathToFileURL(join(real, "node_modules") + "/").href,
      },
      { from: packagesBase, only: null },
    ],
  };
}

function realpathIfThere(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
