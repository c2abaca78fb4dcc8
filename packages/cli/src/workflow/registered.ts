import { err, type Failure, ok, type RegistryEntry, type Result } from "@uncaged/workflow-protocol";
import { unknownWorkflow } from "@uncaged/workflow-register";
import { openRegistry } from "../command/open-registry.ts";

/** The entry of a name, or `WORKFLOW_NOT_FOUND`. */
export async function registered(
  root: string,
  name: string,
): Promise<Result<RegistryEntry, Failure>> {
  const workflows = await openRegistry(root).workflows();
  if (!workflows.ok) return workflows;
  const entry = workflows.value.get(name);
  return entry === undefined ? err(unknownWorkflow(workflows.value, name)) : ok(entry);
}
