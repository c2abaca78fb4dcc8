import type { RoleStep } from "@uncaged/workflow-protocol";

/** Which session of its agent each role ran in last, so that it can go on there. */
export class SessionBook {
  readonly #sessions = new Map<string, string>();

  constructor(steps: readonly RoleStep[]) {
    for (const step of steps) this.note(step);
  }

  /** A step without a session leaves the role's earlier one in place. */
  note(step: RoleStep): void {
    if (step.run?.session != null) this.#sessions.set(step.role, step.run.session);
  }

  lastOf(role: string): string | null {
    return this.#sessions.get(role) ?? null;
  }
}
