/** Resolves a workflow version from what a person typed. */
import {
  type BundleVersion,
  err,
  type Failure,
  failure,
  isHash,
  ok,
  type RegistryEntry,
  type Result,
} from "@uncaged/workflow-protocol";
import { type OpenedBundle, unknownWorkflow } from "@uncaged/workflow-register";
import { openRootBundle } from "../place/shared-registry.ts";
import type { Engine } from "../storage/engine.ts";

/** `review`: the current version of that name. `review@<hash>`: that version of the name. `<hash>`: a version of any
 *  name. The bytes are checked against the registry. `WORKFLOW_NOT_FOUND`, `WORKFLOW_NO_VERSION`, and the failures of
 *  `openRootBundle`. */
export async function findVersion(
  { root, registry }: Pick<Engine, "root" | "registry">,
  called: string,
): Promise<Result<OpenedBundle, Failure>> {
  const workflows = await registry.workflows();
  if (!workflows.ok) return workflows;
  const version = versionIn(workflows.value, called);
  return version.ok ? openRootBundle(root, version.value.hash, version.value.sha256) : version;
}

function versionIn(
  workflows: ReadonlyMap<string, RegistryEntry>,
  called: string,
): Result<BundleVersion, Failure> {
  if (isHash(called)) {
    const versions = [...workflows.values()].flatMap((each) => [each, ...each.history]);
    const found = versions.find(({ hash }) => hash === called);
    return found === undefined ? err(noVersion(called)) : ok(found);
  }
  const [name = "", hash] = called.split("@", 2);
  const entry = workflows.get(name);
  if (entry === undefined) return err(unknownWorkflow(workflows, name));
  const wanted = hash ?? entry.hash;
  const found = [entry, ...entry.history].find((version) => version.hash === wanted);
  return found === undefined ? err(noVersion(called)) : ok(found);
}

function noVersion(called: string): Failure {
  return failure(
    "WORKFLOW_NO_VERSION",
    `no version ${JSON.stringify(called)} is registered`,
    "see the versions of a name with: uncaged-workflow workflow history <name>",
  );
}
