import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { openBundle } from "./bundle/open-bundle.ts";
import { readRegistry } from "./registry/read-registry.ts";
import type { BundleVersion, Exclusively, RegistryEntry } from "./registry/registry.ts";

export type RollbackWorkflow = {
  root: string;
  exclusively: Exclusively;
  name: string;
  /** The version to restore; null: the newest of the history. */
  hash: string | null;
};

export type RolledBack = { name: string; hash: string; previous: string; notes: string[] };

/** Restores an earlier version of a name, once its bundle has been verified: a name never points to something that
 *  cannot run. The version that was on top goes into the history. */
export async function rollbackWorkflow(
  rollback: RollbackWorkflow,
): Promise<Result<RolledBack, Failure>> {
  const { root, exclusively, name } = rollback;
  const registry = await readRegistry(root);
  if (!registry.ok) return registry;
  const target = targetOf(registry.value.workflows.get(name), rollback.hash);
  if (target !== undefined) {
    const bundle = await openBundle(root, target.hash, target.sha256);
    if (!bundle.ok) return bundle;
  }
  const { rollbackVersion } = await import("./registry/edit-registry.ts");
  const { updateRegistry } = await import("./registry/update-registry.ts");
  // Without a target the edit says why. With one it is named, whatever another process did meanwhile.
  const request = { name, hash: target?.hash ?? rollback.hash };
  const updated = await updateRegistry({
    root,
    exclusively,
    change: (file) => rollbackVersion(file, request),
  });
  return updated.ok ? ok({ name, ...updated.value.value, notes: updated.value.notes }) : updated;
}

function targetOf(
  entry: RegistryEntry | undefined,
  hash: string | null,
): BundleVersion | undefined {
  if (entry === undefined) return undefined;
  return hash === null
    ? entry.history[0]
    : [entry, ...entry.history].find((version) => version.hash === hash);
}
