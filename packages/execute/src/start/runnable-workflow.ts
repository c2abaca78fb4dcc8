import { err, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { resolveExternals, unknownWorkflow } from "@uncaged/workflow-register";
import { openRootBundle } from "../place/shared-registry.ts";
import type { Engine } from "../storage/engine.ts";
import type { RunnableWorkflow } from "./create-thread.ts";

/** The registered head version of a workflow, its bundle's bytes checked against the registry. */
export async function runnableWorkflow(
  engine: Pick<Engine, "root" | "registry" | "packagesBase">,
  name: string,
): Promise<Result<RunnableWorkflow, Failure>> {
  const workflows = await engine.registry.workflows();
  if (!workflows.ok) return workflows;
  const entry = workflows.value.get(name);
  if (entry === undefined) return err(unknownWorkflow(workflows.value, name));
  const bundle = await openRootBundle(engine.root, entry.hash, entry.sha256);
  if (!bundle.ok) return bundle;
  const externals = resolveExternals(bundle.value.externals, {
    root: engine.root,
    packagesBase: engine.packagesBase,
  });
  if (!externals.ok) return externals;
  const { workspace = "shared" } = bundle.value.descriptor;
  const { hash, sha256 } = entry;
  return ok({ name, hash, sha256, externals: externals.value, workspace });
}
