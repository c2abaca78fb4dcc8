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

/** Bounds of one thread, in place of those that its workflow sets. */
export type ThreadLimits = Limits & {
  /** For all the runs of a role in the thread. */
  roles?: { readonly [role: string]: Limits } | undefined;
};

/** The limit that a thread waits at. */
export type ReachedLimit = {
  /** The role whose limit it is; null: the thread's. */
  role: string | null;
  bound: keyof Limits;
  limit: number;
  /** At least as much as the limit. */
  used: number;
};

/** `raised` over what was set before; what it leaves out stays. */
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

/** The options of `thread resume` that raise this limit; unknown for threads that came to wait under an older version:
 *  then all of them. */
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
