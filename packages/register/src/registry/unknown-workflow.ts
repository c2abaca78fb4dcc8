import { type Failure, failure } from "@uncaged/workflow-protocol";
import type { Registry } from "./registry.ts";

export function unknownWorkflow({ workflows }: Pick<Registry, "workflows">, name: string): Failure {
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
