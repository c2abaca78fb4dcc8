/** The adapters that came with the command line: they are already there, so adding one only configures it. */
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Failure, Result } from "@uncaged/workflow-protocol";
import { type InstalledAgent, loadAgentPackage, locateExternal } from "@uncaged/workflow-register";
import { OWN_ADAPTERS } from "./inspect-agents.ts";

/** null: it has to be fetched, as does another version than ours, or one that the storage root has installed. */
export async function insidePackage(
  source: string,
  { cwd, root }: { cwd: string; root: string },
): Promise<Result<InstalledAgent, Failure> | null> {
  const bases = { root, packagesBase: import.meta.url };
  for (const name of OWN_ADAPTERS) {
    const located = locateExternal(name, bases);
    if (located === null || located.installedIn === root) continue;
    const { version, folder } = located;
    const named = source === name || source === `${name}@${version}`;
    if (named || isSameFolder(resolve(cwd, source), folder)) return loadAgentPackage(name, bases);
  }
  return null;
}

/** A command line linked from a clone runs that clone's own folder of the package. */
function isSameFolder(path: string, folder: string): boolean {
  return existsSync(join(path, "package.json")) && realpathSync(path) === realpathSync(folder);
}
