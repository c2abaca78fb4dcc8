import { AGENT_OUTCOMES, type AgentOutcome } from "./agent-event.ts";
import type { ErrorCode } from "./error-codes.ts";
import { type Failure, failure, failureFrom, WorkflowError } from "./failure.ts";
import type { StepRun } from "./step-run.ts";

/** How a run of an agent failed. */
export type AgentFault = Exclude<AgentOutcome, "ok">;

/** The stable code of each way in which an agent fails. */
export const FAULT_CODES: { readonly [fault in AgentFault]: ErrorCode } = {
  invalid_output: "INVALID_OUTPUT",
  denied: "AGENT_DENIED",
  context_overflow: "AGENT_CONTEXT_OVERFLOW",
  rate_limited: "AGENT_RATE_LIMITED",
  auth: "AGENT_AUTH",
  cancelled: "THREAD_ABORTED",
  crashed: "AGENT_FAILED",
  timeout: "AGENT_TIMEOUT",
};

/** A role that returned no result. Carries the record of the run, because a failed run costs money too. */
export class AgentError extends WorkflowError {
  readonly outcome: AgentFault;
  readonly run: StepRun | null;
  /** How long the provider asks us to stay away, in milliseconds from when the error was made; null: it does not say. */
  readonly retryAfterMs: number | null;

  constructor(
    reason: Failure,
    about: { outcome: AgentFault; run: StepRun | null; retryAfterMs?: number | null | undefined },
  ) {
    super(reason);
    this.name = "AgentError";
    this.outcome = about.outcome;
    this.run = about.run;
    this.retryAfterMs = about.retryAfterMs ?? null;
  }
}

/** The error for an outcome, with that outcome's code. */
export function agentError(
  outcome: AgentFault,
  about: {
    message: string;
    hint: string;
    run: StepRun | null;
    retryAfterMs?: number | null | undefined;
  },
): AgentError {
  const { message, hint, run, retryAfterMs } = about;
  const reason = failure(FAULT_CODES[outcome], message, hint);
  return new AgentError(reason, { outcome, run, retryAfterMs });
}

/** The outcome that an error thrown by a role stands for, recognized by shape, because a bundle carries its own copy
 *  of the class; null when the failure is not the agent's but the engine's. The run record is not parsed here. */
export function agentFaultOf(
  thrown: unknown,
): { outcome: AgentFault; run: unknown; retryAfterMs: number | null } | null {
  if (!(thrown instanceof Error)) return { outcome: "crashed", run: null, retryAfterMs: null };
  const run = "run" in thrown ? thrown.run : null;
  const said =
    "outcome" in thrown ? AGENT_FAULTS.find((each) => each === thrown.outcome) : undefined;
  const outcome = said ?? faultOfCode(failureFrom(thrown, "AGENT_FAILED").code);
  const retryAfterMs = "retryAfterMs" in thrown ? waitOf(thrown.retryAfterMs) : null;
  return outcome === null ? null : { outcome, run, retryAfterMs };
}

function waitOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

function faultOfCode(code: ErrorCode): AgentFault | null {
  if (code === "EVIDENCE_MISSING") return "invalid_output";
  return AGENT_FAULTS.find((fault) => FAULT_CODES[fault] === code) ?? null;
}

/** Every way in which an agent fails. */
export const AGENT_FAULTS: readonly AgentFault[] = AGENT_OUTCOMES.filter((each) => each !== "ok");
