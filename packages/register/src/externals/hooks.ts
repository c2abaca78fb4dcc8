import type { ExternalBases } from "./external-bases.ts";
import { installExternalHooks } from "./external-hooks.ts";
import { hookTargets } from "./hook-targets.ts";
import { EXTERNAL_HOOKS_ENV, hookTargetsText } from "./hooks-environment.ts";

/** `file:` URL for `node --import`: lets the bundles of a storage root find their external packages. Names the
 *  compiled file, so that it is right when these sources are run as well. */
export const hooksUrl: string = new URL(
  "../../dist/externals/external-hooks-preload.js",
  import.meta.url,
).href;

/** What a process started with `--import <hooksUrl>` needs in its environment, from which it removes it. */
export function hooksEnvironment(root: string, packagesBase: string): { [name: string]: string } {
  const bases: ExternalBases = { root, packagesBase };
  return { [EXTERNAL_HOOKS_ENV]: hookTargetsText(hookTargets(bases)) };
}

const inUse = new Set<string>();

/** The same for the current process: for a command that runs a bundle itself. Calling it again costs nothing. */
export function useExternals(root: string, packagesBase: string): void {
  const targets = hookTargets({ root, packagesBase });
  const key = hookTargetsText(targets);
  if (inUse.has(key)) return;
  inUse.add(key);
  installExternalHooks(targets);
}
