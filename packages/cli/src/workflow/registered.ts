import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { type RegistryEntry, readRegistry } from "@uncaged/workflow-register";

/** The entry of a name, or `WORKFLOW_NOT_FOUND`. */
export async function registered(
  root: string,
  name: string,
): Promise<Result<RegistryEntry, Failure>> {
  const registry = await readRegistry(root);
  if (!registry.ok) return registry;
  const { workflows } = registry.value;
  const entry = workflows.get(name);
  if (entry !== undefined) return ok(entry);
  const hint =
    workflows.size === 0
      ? "add one with: uncaged-workflow workflow add <name> <file>"
      : `registered: ${[...workflows.keys()].join(", ")}`;
  return err(
    failure("WORKFLOW_NOT_FOUND", `no workflow is registered as ${JSON.stringify(name)}`, hint),
  );
}
