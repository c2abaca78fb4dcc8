import type { RoleStep } from "@uncaged/workflow-protocol";

/** The agent session in which each role last ran, so that the role can resume it. */
export class SessionBook {
  readonly #sessions = new Map<string, string>();

  constructor(steps: readonly RoleStep[]) {
    for (const step of steps) this.note(step);
  }

  /** A step without a session leaves the role's earlier session in place. */
  note(step: RoleStep): void {
    if (step.run?.session != null) this.#sessions.set(step.role, step.run.session);
  }

  lastOf(role: string): string | null {
    return this.#sessions.get(role) ?? null;
  }
}
