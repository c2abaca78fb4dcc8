import type { AgentOutcome } from "@uncaged/workflow-protocol";
import { lastLines } from "@uncaged/workflow-util-agent";
import type { ProcessEnd } from "./claude-process.ts";
import type { ResultMessage } from "./stream-message.ts";

export type Verdict = { outcome: AgentOutcome; reason: string; sessionLost: boolean };

/** The outcome of a turn. Neither `subtype` nor the exit code tells: `subtype` is `success` for a call that the
 *  model's host refused, and the exit code is 0 when a signal interrupted the turn. */
export function judgeResult(
  result: ResultMessage,
  about: {
    /** `error` of the last message in place of the model's, the only sign of a missing login. */
    modelError: string | null;
  },
): Verdict {
  if (!result.is_error && (result.terminal_reason ?? "completed") === "completed") {
    return { outcome: "ok", reason: "", sessionLost: false };
  }
  const words = result.errors.join("; ") || result.result || result.subtype;
  const reason = words.slice(0, MAX_REASON_CHARS).toWellFormed();
  const sessionLost = result.errors.some((each) => each.startsWith("No conversation found"));
  return { outcome: outcomeOf(result, about.modelError), reason, sessionLost };
}

const MAX_REASON_CHARS = 1_000;

function outcomeOf(result: ResultMessage, modelError: string | null): AgentOutcome {
  if (result.terminal_reason?.startsWith("aborted") === true) return "cancelled";
  if (result.terminal_reason === "prompt_too_long") return "context_overflow";
  if (result.terminal_reason === "structured_output_retry_exhausted") return "invalid_output";
  switch (result.api_error_status) {
    case 401:
    case 402:
    case 403:
      return "auth";
    case 413:
      return "context_overflow";
    case 429:
    case 529:
      return "rate_limited";
  }
  switch (modelError) {
    case "authentication_failed":
    case "billing_error":
    case "oauth_org_not_allowed":
      return "auth";
    case "rate_limit":
    case "overloaded":
      return "rate_limited";
    default:
      return "crashed";
  }
}

/** The outcome when the program ended in the middle of a turn. */
export function judgeEnd(
  { run, noise }: ProcessEnd,
  about: {
    /** The step was stopped. */
    stopped: boolean;
  },
): Verdict {
  const verdict = (outcome: AgentOutcome, reason: string): Verdict => ({
    outcome,
    reason: [reason, ...lastWords(run, noise)].join("\n"),
    sessionLost: false,
  });
  if (about.stopped) return verdict("cancelled", "it was ended because the step was stopped");
  if (!run.ok) return verdict("crashed", run.error.message);
  const { stoppedBy, exitCode, signal } = run.value;
  if (stoppedBy === "idle") return verdict("timeout", "it stopped responding and was ended");
  if (stoppedBy === "total") return verdict("timeout", "it did not finish in time and was ended");
  const how = exitCode === null ? `was ended by ${signal}` : `exited with code ${exitCode}`;
  return verdict("crashed", `it ${how} in the middle of its turn`);
}

function lastWords(run: ProcessEnd["run"], noise: readonly string[]): string[] {
  const stderr = run.ok ? lastLines(run.value.stderr.text) : "";
  return [...noise.slice(-MOST_NOISE_LINES), stderr].filter((line) => line !== "");
}

const MOST_NOISE_LINES = 3;
