import { type StepRun, sumUsage, type Usage } from "@uncaged/workflow-protocol";

/** Adds what extraction cost to the record of the run that needed it. Without a record there is nowhere to add it. */
export function withExtractionCost(run: StepRun | null, cost: Usage | null): StepRun | null {
  if (cost === null || run === null) return run;
  const notes = [...(run.notes ?? []), "the usage includes extraction by a model"];
  return { ...run, usage: sumUsage(run.usage, cost), notes };
}
