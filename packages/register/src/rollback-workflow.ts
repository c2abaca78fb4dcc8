import {
  type BundleVersion,
  type Failure,
  ok,
  type RegistryEntry,
  type Result,
  type WorkflowRegistry,
} from "@uncaged/workflow-protocol";
import { openBundle } from "./bundle/open-bundle.ts";

export type RollbackWorkflow = {
  root: string;
  registry: WorkflowRegistry;
  name: string;
  /** The version to restore; null: the newest of the history. */
  hash: string | null;
  /** Opens and checks a bundle of this root; left out: one that is stored here. */
  open?: typeof openBundle;
};

export type RolledBack = { name: string; hash: string; previous: string; notes: string[] };

/** Restores an earlier version of a name, once its bundle has been verified: a name never points to something that
 *  cannot run. The version that was on top goes into the history. */
export async function rollbackWorkflow(
  rollback: RollbackWorkflow,
): Promise<Result<RolledBack, Failure>> {
  const { root, registry, name, open = openBundle } = rollback;
  const workflows = await registry.workflows();
  if (!workflows.ok) return workflows;
  const target = targetOf(workflows.value.get(name), rollback.hash);
  if (target !== undefined) {
    const bundle = await open(root, target.hash, target.sha256);
    if (!bundle.ok) return bundle;
  }
  // Without a target the registry says why. With one it is named, whatever another process did meanwhile.
  const restored = await registry.rollback({ name, hash: target?.hash ?? rollback.hash });
  return restored.ok ? ok({ name, ...restored.value }) : restored;
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
