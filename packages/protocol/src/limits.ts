import type { AgentFault } from "./agent-error.ts";

/** How a step ended: a role whose agent failed can still be a step, when the table has a rule for that. */
export type StepOutcome = "ok" | AgentFault;

/** How a rule is asked: after a step, by how that ended; `limit` before a step that a limit forbids. */
export type RuleOutcome = StepOutcome | "limit";

/** Bounds of a thread, or of all the runs of one role in it. What is left out is not bounded, but for a
 *  thread's steps. */
export type Limits = {
  steps?: number | undefined;
  /** Input and output tokens together. */
  tokens?: number | undefined;
  costUsd?: number | undefined;
  /** Milliseconds that roles ran; waiting for a person does not count. */
  timeMs?: number | undefined;
};

/** Steps of a thread whose workflow and caller set no other bound: what runs away stops there. */
export const DEFAULT_MAX_STEPS = 1_000;

/** When a failed run of a role is worth another try. */
export type RetryPolicy = {
  /** Tries after the first. */
  attempts: number;
  /** Before the first of them; doubled before each further one. Default 1,000. */
  backoffMs?: number | undefined;
  /** Default 60,000. */
  maxBackoffMs?: number | undefined;
  /** Default: `rate_limited`, `timeout` and `crashed`. */
  on?: readonly AgentFault[] | undefined;
};
