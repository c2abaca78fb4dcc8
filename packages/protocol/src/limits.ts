import type { AgentFault } from "./agent-error.ts";

/** How a step ended. A role whose agent failed still makes a step when the table has a rule for that outcome. */
export type StepOutcome = "ok" | AgentFault;

/** When a rule is tried: after a step with this outcome, or (`limit`) before a step that a limit forbids. */
export type RuleOutcome = StepOutcome | "limit";

/** Limits of a thread, or of all runs of one role in it. What is left out is unlimited, except a thread's steps. */
export type Limits = {
  steps?: number | undefined;
  /** Input and output tokens together. */
  tokens?: number | undefined;
  costUsd?: number | undefined;
  /** Milliseconds during which roles ran; waiting for a person does not count. */
  timeMs?: number | undefined;
};

/** Limits of one thread, which replace those of its workflow. */
export type ThreadLimits = Limits & {
  /** For all runs of a role in the thread. */
  roles?: { readonly [role: string]: Limits } | undefined;
};

/** The limit that stopped a thread. */
export type ReachedLimit = {
  /** The role that the limit belongs to; null: the thread itself. */
  role: string | null;
  bound: keyof Limits;
  limit: number;
  /** At least the limit. */
  used: number;
};

/** `raised` on top of what was set before; whatever it leaves out stays as it was. */
export function raisedLimits(before: ThreadLimits | null, raised: ThreadLimits): ThreadLimits {
  const { roles: _roles, ...thread } = raised;
  const roles = { ...before?.roles };
  for (const [role, limits] of Object.entries(raised.roles ?? {})) {
    roles[role] = { ...roles[role], ...limits };
  }
  return {
    ...before,
    ...thread,
    ...(Object.keys(roles).length === 0 ? {} : { roles }),
  };
}

/** The options of `thread resume` that raise this limit; all of them when it is unknown, for threads that stopped
 *  under an older version. */
export function raisingOptions(reached: ReachedLimit | undefined): string {
  if (reached === undefined) return Object.values(LIMIT_OPTIONS).join(", ");
  const ofRole = reached.role === null ? "" : `--role ${reached.role} `;
  return ofRole + LIMIT_OPTIONS[reached.bound];
}

const LIMIT_OPTIONS: { readonly [bound in keyof Limits]-?: string } = {
  steps: "--max-steps <n>",
  tokens: "--max-tokens <n>",
  costUsd: "--max-cost <usd>",
  timeMs: "--max-time <duration>",
};

/** Step limit when neither the workflow nor the caller sets one: it stops a runaway thread. */
export const DEFAULT_MAX_STEPS = 1_000;

/** When a failed run of a role is retried. */
export type RetryPolicy = {
  /** Tries after the first. */
  attempts: number;
  /** Wait before the first retry; doubled before each further one. Default 1,000. */
  backoffMs?: number | undefined;
  /** Default 60,000. */
  maxBackoffMs?: number | undefined;
  /** Default: `rate_limited`, `timeout` and `crashed`. */
  on?: readonly AgentFault[] | undefined;
};
