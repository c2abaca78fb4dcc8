/** What a thread has used so far, updated step by step, and whether a limit forbids another step.
 *
 *  It is computed from the steps, so a thread that was resumed, forked or imported has the same sums, plus what
 *  interrupted attempts used before they became a step, until the next step records that. */
import {
  DEFAULT_MAX_STEPS,
  type Limits,
  type ReachedLimit,
  type RoleRules,
  type RoleStep,
  type Unrecorded,
  type Usage,
} from "@uncaged/workflow-protocol";

type Spent = { [bound in keyof Limits]-?: number };

type OfRole = Pick<RoleRules, "limits">;

export type LedgerLimits = {
  /** For the whole thread. */
  thread: Limits;
  roles: ReadonlyMap<string, OfRole>;
};

/** Steps that may still be made after a limit was reached before them. */
const WAY_OUT_STEPS = 16;

export class Ledger {
  readonly #limits: LedgerLimits;
  readonly #thread: Spent = nothing();
  readonly #roles = new Map<string, Spent>();
  #unrecorded: readonly Unrecorded[] = [];
  #beyond = 0;

  constructor(
    limits: LedgerLimits,
    steps: readonly RoleStep[],
    unrecorded: readonly Unrecorded[] = [],
  ) {
    this.#limits = limits;
    for (const step of steps) this.note(step);
    this.#unrecorded = unrecorded;
  }

  note(step: RoleStep): void {
    if (this.reached(step.role) !== null) this.#beyond += 1;
    const role = this.#roles.get(step.role) ?? nothing();
    this.#roles.set(step.role, role);
    add(this.#thread, step);
    add(role, step);
    if (step.run !== null) this.#unrecorded = [];
  }

  /** Why the thread may not run this role any more; null: it may. `underWay`: roles of the members that run. Each of
   *  them will be a step; what else it uses is known when it has finished. */
  reached(role: string, underWay: readonly string[] = []): ReachedLimit | null {
    const { thread, roles } = this.#limits;
    const alike = underWay.filter((each) => each === role).length;
    const ofThread = reachedOf(
      { steps: DEFAULT_MAX_STEPS, ...thread },
      withSteps(withUnrecorded(this.#thread, this.#unrecorded), underWay.length),
    );
    if (ofThread !== null) return { role: null, ...ofThread };
    const ofRole = reachedOf(
      roles.get(role)?.limits ?? {},
      withSteps(
        withUnrecorded(
          this.#roles.get(role) ?? nothing(),
          this.#unrecorded.filter((each) => each.role === role),
        ),
        alike,
      ),
    );
    return ofRole === null ? null : { role, ...ofRole };
  }

  /** Rules for `limit` lead out of a thread, for instance to a role that sums up. If they go round in circles, they
   *  are not followed for ever. */
  isBeyondLimits(): boolean {
    return this.#beyond >= WAY_OUT_STEPS;
  }

  /** Milliseconds that this role may still run; null: no limit. Time that is already used up limits nobody: a role
   *  that runs anyway is the way out, or a person's request. */
  timeLeftMs(role: string): number | null {
    const { thread, roles } = this.#limits;
    const ofRole = roles.get(role)?.limits?.timeMs;
    const left = [
      thread.timeMs === undefined ? [] : [thread.timeMs - this.#thread.timeMs],
      ofRole === undefined ? [] : [ofRole - (this.#roles.get(role)?.timeMs ?? 0)],
    ]
      .flat()
      .filter((ms) => ms > 0);
    return left.length === 0 ? null : Math.min(...left);
  }
}

/** The rules of each role, with a thread's own limits in place of those of the workflow. */
export function withLimits<Rules extends OfRole>(
  rules: ReadonlyMap<string, Rules>,
  raised: { readonly [role: string]: Limits },
): ReadonlyMap<string, Rules> {
  const ofRole = new Map(Object.entries(raised));
  return new Map(
    Array.from(rules, ([role, own]) => [
      role,
      ofRole.has(role) ? { ...own, limits: { ...own.limits, ...ofRole.get(role) } } : own,
    ]),
  );
}

function nothing(): Spent {
  return { steps: 0, tokens: 0, costUsd: 0, timeMs: 0 };
}

function add(spent: Spent, { run }: RoleStep): void {
  spent.steps += 1;
  if (run === null) return;
  // Waiting for a person costs nothing.
  if (run.person !== undefined) return;
  spent.timeMs += Math.max(0, run.completedAt - run.startedAt);
  if (run.usage !== null) addUsage(spent, run.usage);
}

function addUsage(spent: Spent, { inputTokens, outputTokens, costUsd }: Usage): void {
  spent.tokens += inputTokens + outputTokens;
  spent.costUsd += costUsd ?? 0;
}

function withUnrecorded(spent: Spent, unrecorded: readonly Unrecorded[]): Spent {
  const sum = { ...spent };
  for (const { usage } of unrecorded) addUsage(sum, usage);
  return sum;
}

function withSteps(spent: Spent, more: number): Spent {
  return { ...spent, steps: spent.steps + more };
}

function reachedOf(limits: Limits, used: Spent): Omit<ReachedLimit, "role"> | null {
  for (const bound of BOUNDS) {
    const limit = limits[bound];
    if (limit !== undefined && used[bound] >= limit) return { bound, limit, used: used[bound] };
  }
  return null;
}

const BOUNDS = ["steps", "tokens", "costUsd", "timeMs"] as const satisfies (keyof Limits)[];

/** `the thread has used 2 of 2 steps`. */
export function reachedInWords({ role, bound, limit, used }: ReachedLimit): string {
  const who = role === null ? "the thread" : `role ${role}`;
  return `${who} has used ${IN_WORDS[bound](used, limit)}`;
}

const IN_WORDS: { readonly [bound in keyof Limits]-?: (used: number, limit: number) => string } = {
  steps: (used, limit) => `${used} of ${limit} steps`,
  tokens: (used, limit) => `${used} of ${limit} tokens`,
  costUsd: (used, limit) => `${usd(used)} of ${usd(limit)}`,
  timeMs: (used, limit) => `${seconds(used)} of ${seconds(limit)} of running time`,
};

function usd(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
