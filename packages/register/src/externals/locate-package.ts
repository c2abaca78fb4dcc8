/** Finds installed packages as Node does. Imports nothing but Node's own modules, because the hooks use it. */
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ExternalBases } from "./external-bases.ts";

export type LocatedPackage = {
  name: string;
  version: string;
  folder: string;
  /** The folder whose `node_modules` contains it. */
  installedIn: string;
};

/** The installed package that a bundle of this storage root gets for a name; null when there is none. */
export function locateExternal(name: string, bases: ExternalBases): LocatedPackage | null {
  const { root, packagesBase, project } = bases;
  return (
    (isAskedFor(name, root) ? packageIn(root, name) : null) ??
    locateUpwards(name, folderOf(packagesBase)) ??
    (project === undefined ? null : locateUpwards(name, folderOf(project)))
  );
}

/** Dependencies that npm installed next to the packages that a person asked for belong only to those packages: an
 *  agent's package must not bring another runtime for every workflow. If nothing records what was asked for,
 *  everything was. */
function isAskedFor(name: string, root: string): boolean {
  const manifest = readManifest(root);
  return manifest === null || manifest.dependencies.includes(name);
}

/** The package that a module in `folder` gets for a name: from the nearest `node_modules` that has it. */
export function locateUpwards(name: string, folder: string): LocatedPackage | null {
  for (let at = folder; ; at = dirname(at)) {
    const found = packageIn(at, name);
    if (found !== null || dirname(at) === at) return found;
  }
}

function folderOf(url: string): string {
  return dirname(fileURLToPath(url));
}

function packageIn(installedIn: string, name: string): LocatedPackage | null {
  const folder = join(installedIn, "node_modules", name);
  const manifest = readManifest(folder);
  return manifest === null ? null : { name, version: manifest.version, folder, installedIn };
}

export type Manifest = { version: string; dependencies: readonly string[] };

/** The relevant parts of a folder's `package.json`; null when there is none or it cannot be read. */
export function readManifest(folder: string): Manifest | null {
  try {
    const file = join(folder, "package.json");
    // Reading anything else might block.
    if (!statSync(file).isFile()) return null;
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    const fields = new Map(Object.entries(Object(value)));
    const version = fields.get("version");
    const kinds = ["dependencies", "peerDependencies", "optionalDependencies"];
    const dependencies = kinds.flatMap((kind) => Object.keys(Object(fields.get(kind))));
    return { version: typeof version === "string" ? version : "0.0.0", dependencies };
  } catch {
    return null;
  }
}
