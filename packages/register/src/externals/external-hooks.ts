/** Teaches Node where the external packages of bundles are. Imports nothing but Node's own modules:
 *  it runs before everything else in a runner, and inside the locked child. */
import { existsSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

export type HookTargets = {
  /** `file:` URL prefix of the modules that count as bundles. Others resolve as they always do: an engine
   *  that took its own packages from a storage root would run whatever was installed there. */
  bundles: string;
  /** `file:` URLs of modules in whose name external packages are looked up; the first that has one wins. */
  lookups: readonly ExternalLookup[];
};

export type ExternalLookup = {
  from: string;
  /** The only folder to look into, a `file:` URL that ends with a slash; null: as Node does, upwards. */
  only: string | null;
};

export const EXTERNAL_SCOPE = "@uncaged/";

export function installExternalHooks(targets: HookTargets): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const external = specifier.startsWith(EXTERNAL_SCOPE);
      if (!external || context.parentURL?.startsWith(targets.bundles) !== true) {
        return nextResolve(specifier, context);
      }
      const lookup = targets.lookups.find(
        ({ only }) => only === null || hasPackage(only, specifier),
      );
      if (lookup === undefined) return nextResolve(specifier, context);
      if (!context.conditions.includes("require")) {
        return nextResolve(specifier, { ...context, parentURL: lookup.from });
      }
      // `require` asks its own module for the place to start at, not the context.
      const file = createRequire(lookup.from).resolve(specifier);
      return { url: pathToFileURL(file).href, shortCircuit: true };
    },
  });
}

function hasPackage(packages: string, specifier: string): boolean {
  const name = specifier.split("/", 2).join("/");
  return existsSync(fileURLToPath(new URL(`${name}/package.json`, packages)));
}
