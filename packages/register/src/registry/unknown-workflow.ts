import { type Failure, failure, type RegistryEntry } from "@uncaged/workflow-protocol";

export function unknownWorkflow(
  workflows: ReadonlyMap<string, RegistryEntry>,
  name: string,
): Failure {
  const known = [...workflows.keys()];
  const hint =
    known.length === 0
      ? "add one with: uncaged-workflow workflow add <name> <file>"
      : `registered: ${known.join(", ")}`;
  return failure(
    "WORKFLOW_NOT_FOUND",
    `no workflow is registered as ${JSON.stringify(name)}`,
    hint,
  );
}
