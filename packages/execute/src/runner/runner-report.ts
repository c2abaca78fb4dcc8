import { type Failure, failure, isErrorCode } from "@uncaged/workflow-protocol";

/** What a runner tells the process that started it, once. */
export type RunnerReport = { kind: "ready" } | { kind: "failed"; failure: Failure };

/** Parses a report; anything malformed counts as a failed start. */
export function parseRunnerReport(message: unknown): RunnerReport {
  if (isRecord(message) && message.kind === "ready") return { kind: "ready" };
  const reported = isRecord(message) && isRecord(message.failure) ? message.failure : {};
  const { code, message: text, hint } = reported;
  if (
    typeof code === "string" &&
    isErrorCode(code) &&
    typeof text === "string" &&
    typeof hint === "string"
  ) {
    return { kind: "failed", failure: failure(code, text, hint) };
  }
  return {
    kind: "failed",
    failure: failure("RUNNER_FAILED", "the runner sent an invalid report", ""),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
