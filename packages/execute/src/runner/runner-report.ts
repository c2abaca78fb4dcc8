import { type Failure, failure, isErrorCode } from "@uncaged/workflow-protocol";

/** What a runner tells the process that started it, once. */
export type RunnerReport = { kind: "ready" } | { kind: "failed"; failure: Failure };

/** Tells the starter, if it still listens. One that was killed a moment ago may still look connected; the report is
 *  lost then, and the thread runs all the same. */
export function tellStarter(report: RunnerReport): void {
  if (process.connected) process.send?.(report, undefined, undefined, () => {});
}

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
