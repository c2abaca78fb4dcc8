import { agentFaultOf } from "./agent-error.ts";
import { failureFrom } from "./failure.ts";
import type { StepRoute, StepRun } from "./step-run.ts";
import type { RoleOutput } from "./workflow-runtime.ts";

/** What is stored of a role that failed; null when the failure is not its agent's. */
export function failedOutput(
  step: { role: string; route: StepRoute | null },
  thrown: unknown,
): RoleOutput | null {
  const fault = agentFaultOf(thrown);
  if (fault === null) return null;
  const { code, message } = failureFrom(thrown, "AGENT_FAILED");
  const { outcome } = fault;
  return {
    role: step.role,
    meta: { outcome, reason: message },
    content: `${code}: ${message}`,
    refs: [],
    childThread: null,
    route: step.route,
    run: failedRunOf(fault.run),
    outcome,
  };
}

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
