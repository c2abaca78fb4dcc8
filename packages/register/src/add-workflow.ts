/** `workflow add`, whole: a file in, a registered version out, or a failure and nothing changed.
 *
 *  Order of effects: the file is read once and checked; then its bundle is stored, durable; then the registry
 *  names it. A crash in between leaves a folder that nothing names. */
import { resolve } from "node:path";
import {
  err,
  type Failure,
  failure,
  failureFrom,
  ok,
  type Result,
  WORKFLOW_NAME_PATTERN,
} from "@uncaged/workflow-protocol";
import { readBundleFile } from "./bundle/read-bundle-file.ts";
import { readCompanions, readTypes } from "./bundle/read-companions.ts";
import { type BundleToStore, storeBundle } from "./bundle/store-bundle.ts";
import type { CheckRule } from "./check/check-descriptor.ts";
import type { ExternalBases } from "./externals/external-bases.ts";
import { readRegistry } from "./registry/read-registry.ts";
import type { BundleVersion, Exclusively } from "./registry/registry.ts";

export type AddWorkflow = ExternalBases & {
  name: string;
  /** The bundle, absolute or from the working directory. */
  file: string;
  /** Type declarations to keep beside it; null: none. */
  types: string | null;
  checkRule: CheckRule;
  exclusively: Exclusively;
  nowMs: number;
};

export type AddedWorkflow = {
  name: string;
  hash: string;
  sha256: string;
  /** What the name stood for before; null when it is new. Equal to `hash` when it was on top already. */
  previous: string | null;
  /** For people: what else happened. */
  notes: string[];
};

export async function addWorkflow(add: AddWorkflow): Promise<Result<AddedWorkflow, Failure>> {
  if (!WORKFLOW_NAME_PATTERN.test(add.name)) return err(badName(add.name));
  try {
    // A registry that cannot be read is better known before anything is stored.
    const registry = await readRegistry(add.root);
    if (!registry.ok) return registry;
    const bundle = await readChecked(add);
    if (!bundle.ok) return bundle;
    await storeBundle(add.root, bundle.value);
    const { hash, sha256 } = bundle.value;
    return await register(add, { hash, sha256, timestamp: add.nowMs });
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}

async function readChecked(add: AddWorkflow): Promise<Result<BundleToStore, Failure>> {
  const place = resolve(add.file);
  const bytes = await readBundleFile(place);
  if (!bytes.ok) return bytes;
  const types = add.types === null ? ok(null) : await readTypes(resolve(add.types));
  if (!types.ok) return types;
  const companions = await readCompanions(place);
  const { root, packagesBase, checkRule } = add;
  // Loads a lexer and the schemas, which other commands do without.
  const { checkBundle } = await import("./check/check-bundle.ts");
  const checked = await checkBundle({
    bytes: bytes.value,
    place,
    bases: { root, packagesBase },
    beside: companions.descriptor,
    checkRule,
  });
  if (!checked.ok) return checked;
  const rolldown = companions.rolldownFor(checked.value.sha256);
  return ok({ ...checked.value, rolldown, types: types.value });
}

async function register(
  add: AddWorkflow,
  version: BundleVersion,
): Promise<Result<AddedWorkflow, Failure>> {
  const { name, root, exclusively } = add;
  const { registerVersion } = await import("./registry/edit-registry.ts");
  const { updateRegistry } = await import("./registry/update-registry.ts");
  const updated = await updateRegistry({
    root,
    exclusively,
    change: (file) => ok(registerVersion(file, { name, version })),
  });
  if (!updated.ok) return updated;
  const { value, notes } = updated.value;
  return ok({ name, hash: version.hash, sha256: version.sha256, previous: value.previous, notes });
}

function badName(name: string): Failure {
  return failure(
    "USAGE",
    `${JSON.stringify(name)} is no name for a workflow`,
    "names have 1 to 64 lower-case letters, digits, . _ and -, and begin and end with a letter or digit",
  );
}
