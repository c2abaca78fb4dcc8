/** How far a group has come, from the members that have finished.
 *
 *  1. Pure: the same members in the same order of completion always have the same result.
 *  2. A member that was ended because the group had joined neither succeeded nor failed. */
import type { AgentFault, GroupPolicy, ModeratorStep, StepGroup } from "@uncaged/workflow-protocol";

/** A member that has finished. */
export type FinishedMember = { group: Pick<StepGroup, "index">; outcome?: AgentFault };

export class GroupProgress {
  readonly #policy: Pick<GroupPolicy, "join" | "onFault">;
  readonly #of: number;
  readonly #finished = new Set<number>();
  #successes = 0;
  #hasFault = false;

  constructor(of: number, policy: Pick<GroupPolicy, "join" | "onFault">) {
    this.#of = of;
    this.#policy = policy;
  }

  note({ group, outcome }: FinishedMember): void {
    this.#finished.add(group.index);
    if (outcome === undefined) this.#successes += 1;
    else if (outcome !== "cancelled") this.#hasFault = true;
  }

  has(index: number): boolean {
    return this.#finished.has(index);
  }

  /** Nothing more has to run. */
  get hasJoined(): boolean {
    if (this.#finished.size >= this.#of || this.#isStopped) return true;
    const { join = "all" } = this.#policy;
    if (join === "all") return false;
    return this.#successes >= (join === "any" ? 1 : join.atLeast);
  }

  /** Indices of the members that have not finished. */
  get missing(): number[] {
    return Array.from({ length: this.#of }, (_, index) => index).filter(
      (index) => !this.has(index),
    );
  }

  get #isStopped(): boolean {
    return this.#policy.onFault === "stop" && this.#hasFault;
  }
}

/** The progress of the group whose members are the last steps; null when the last step is no member. */
export function lastGroup(
  steps: readonly ModeratorStep[],
  policyOf: (name: string) => Pick<GroupPolicy, "join" | "onFault">,
): { group: StepGroup; progress: GroupProgress } | null {
  const group = steps.at(-1)?.group;
  if (group === undefined) return null;
  const progress = new GroupProgress(group.of, policyOf(group.name));
  for (const step of steps.slice(group.entry)) {
    if (step.group !== undefined) progress.note({ ...step, group: step.group });
  }
  return { group, progress };
}
