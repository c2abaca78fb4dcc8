/** Tells Node where the external packages of bundles are. Imports nothing but Node's own modules and its neighbours:
 *  it runs before everything else in a runner, and inside the locked child. */
import { createRequire, registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ExternalBases } from "./external-bases.ts";
import { EXTERNAL_SCOPE, packageName } from "./external-name.ts";
import { locateExternal } from "./locate-package.ts";

export type HookTargets = {
  /** `file:` URL prefix of the modules that count as bundles. Others resolve as usual: an engine that loaded its own
   *  packages from a storage root would run whatever was installed there. */
  bundles: string;
  bases: ExternalBases;
};

export function installExternalHooks({ bundles, bases }: HookTargets): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const external = specifier.startsWith(EXTERNAL_SCOPE);
      if (!external || context.parentURL?.startsWith(bundles) !== true) {
        return nextResolve(specifier, context);
      }
      const found = locateExternal(packageName(specifier), bases);
      if (found === null) return nextResolve(specifier, context);
      const parent = join(found.installedIn, "bundle.js");
      // A list according to its type, but Node 22 passes a set to `require`.
      if (![...context.conditions].includes("require")) {
        return nextResolve(specifier, { ...context, parentURL: pathToFileURL(parent).href });
      }
      // `require` starts at the module it belongs to, whatever the context says.
      const file = createRequire(parent).resolve(specifier);
      return { url: pathToFileURL(file).href, shortCircuit: true };
    },
  });
}
