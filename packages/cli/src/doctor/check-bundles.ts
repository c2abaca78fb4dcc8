/** Checks that every registered version has the registered bytes, and that what it imports is installed. */

import { openRootBundle } from "@uncaged/workflow-execute";
import type { Failure, RegistryEntry } from "@uncaged/workflow-protocol";
import { type Registry, readRegistry, resolveExternals } from "@uncaged/workflow-register";
import { count } from "../command/count.ts";
import { type Check, type DoctorContext, fine, wrong } from "./check.ts";

export async function checkBundles({ root }: DoctorContext): Promise<Check> {
  const versions = (await entriesOf(root)).flatMap(([name, entry]) =>
    [entry, ...entry.history].map(({ hash, sha256 }) => ({ name, hash, sha256 })),
  );
  const faults: string[] = [];
  for (const { name, hash, sha256 } of versions) {
    const bundle = await openRootBundle(root, hash, sha256);
    if (!bundle.ok) faults.push(`${name}: ${bundle.error.message}`);
  }
  if (faults.length === 0) {
    return fine("bundles", `${count(versions.length, "version")} as registered`);
  }
  return wrong(
    "bundles",
    faults.join("; "),
    "build it from its sources and add it again: uncaged-workflow workflow add <name> <file>",
  );
}

export async function checkExternals({ root }: DoctorContext): Promise<Check> {
  const faults: Failure[] = [];
  const packages = new Map<string, string>();
  for (const [, { hash, sha256 }] of await entriesOf(root)) {
    const bundle = await openRootBundle(root, hash, sha256);
    if (!bundle.ok) continue; // said by the check above
    const found = resolveExternals(bundle.value.externals, { root, packagesBase: import.meta.url });
    if (!found.ok) faults.push(found.error);
    else for (const [name, version] of Object.entries(found.value)) packages.set(name, version);
  }
  const [first] = faults;
  if (first !== undefined)
    return wrong("packages", faults.map(({ message }) => message).join("; "), first.hint);
  const list = [...packages].map(([name, version]) => `${name} ${version}`).sort();
  return fine("packages", list.length === 0 ? "no bundle imports any" : list.join(", "));
}

/** None when the registry cannot be read: another check reports that. */
async function entriesOf(root: string): Promise<[name: string, entry: RegistryEntry][]> {
  const registry = await readRegistry(root);
  const workflows: Registry["workflows"] = registry.ok ? registry.value.workflows : new Map();
  return [...workflows];
}
