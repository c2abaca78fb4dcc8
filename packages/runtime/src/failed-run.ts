import type { StepRun } from "@uncaged/workflow-protocol";

/** The run record that an error carries, if it looks like one; the engine validates it fully before storing it. */
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
