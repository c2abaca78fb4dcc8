/** Where a project gets the `@uncaged` packages from: the registry, or its own files under `vendor/uncaged`, which
 *  move with it to another machine. `overrides` do the same for the dependencies of those packages on each other;
 *  npm reads them in `package.json`, pnpm in `pnpm-workspace.yaml`. */
import { isMap, parseDocument } from "yaml";
import { type CarriedPackages, VENDOR } from "./carried-packages.ts";

export type ProjectPackages = {
  /** The command line's version: the packages of one release belong together. */
  version: string;
  /** null: they come from the registry. */
  carried: CarriedPackages | null;
};

type Manifest = { [key: string]: unknown };
const KINDS = ["dependencies", "devDependencies"] as const;
const isOurs = (name: string): boolean => name.startsWith("@uncaged/");

/** The same manifest with the packages of this release. */
export function withPackages(manifest: Manifest, packages: ProjectPackages): Manifest {
  const changed = { ...manifest };
  for (const kind of KINDS) {
    const entries = Object.entries(Object(manifest[kind])).map(([name, spec]) => [
      name,
      isOurs(name) ? (specOf(name, packages) ?? spec) : spec,
    ]);
    if (entries.length > 0) changed[kind] = Object.fromEntries(entries);
  }
  const overrides = { ...others(manifest.overrides), ...overridesOf(packages) };
  delete changed.overrides;
  return Object.keys(overrides).length === 0 ? changed : { ...changed, overrides };
}

/** The same `pnpm-workspace.yaml`, comments included. */
export function withPnpmOverrides(text: string, packages: ProjectPackages): string {
  const document = parseDocument(text);
  const node = document.get("overrides");
  const known: unknown = isMap(node) ? node.toJSON() : {};
  for (const name of Object.keys(Object(known)).filter(isOurs))
    document.deleteIn(["overrides", name]);
  for (const [name, spec] of Object.entries(overridesOf(packages)))
    document.setIn(["overrides", name], spec);
  const left = document.get("overrides");
  if (isMap(left) && left.items.length === 0) document.delete("overrides");
  return document.toString({ lineWidth: 0 });
}

function specOf(name: string, { version, carried }: ProjectPackages): string | null {
  if (carried === null) return version;
  const file = carried.files.get(name);
  return file === undefined ? null : `file:${VENDOR}/${file}`;
}

function overridesOf({ carried }: ProjectPackages): { [name: string]: string } {
  const files = [...(carried?.files ?? [])];
  return Object.fromEntries(files.map(([name, file]) => [name, `file:${VENDOR}/${file}`]));
}

function others(overrides: unknown): { [name: string]: unknown } {
  const entries: [string, unknown][] = Object.entries(Object(overrides));
  return Object.fromEntries(entries.filter(([name]) => !isOurs(name)));
}
