import type { StepRun } from "@uncaged/workflow-protocol";

/** The record that an error carries of the run that failed, if it looks like one; the engine checks it whole
 *  before it stores it. */
export function failedRunOf(run: unknown): StepRun | null {
  return looksLikeRun(run) ? run : null;
}

function looksLikeRun(run: unknown): run is StepRun {
  return (
    typeof run === "object" &&
    run !== null &&
    "startedAt" in run &&
    typeof run.startedAt === "number" &&
    "completedAt" in run &&
    typeof run.completedAt === "number" &&
    "usage" in run &&
    "evidence" in run &&
    Array.isArray(run.evidence)
  );
}
