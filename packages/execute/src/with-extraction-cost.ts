import { sumUsage, type Usage } from "@uncaged/workflow-protocol";
import type { ParsedRoleOutput } from "@uncaged/workflow-protocol/schemas";

/** Adds what extraction cost to the record of the run that needed it. Without a record there is nowhere to add it. */
export function withExtractionCost(output: ParsedRoleOutput, cost: Usage | null): ParsedRoleOutput {
  const { run } = output;
  if (cost === null || run === null || run === undefined) return output;
  const notes = [...(run.notes ?? []), "the usage includes extraction by a model"];
  return { ...output, run: { ...run, usage: sumUsage(run.usage, cost), notes } };
}
