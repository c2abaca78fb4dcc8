import type { RoleStep } from "@uncaged/workflow-protocol";

/** The agent session in which each role last ran, so that the role can resume it. Members of groups have sessions of
 *  their own, unless their group continues those of the roles. */
export class SessionBook {
  readonly #sessions = new Map<string, string>();

  readonly #continues: (group: string) => boolean;

  constructor(steps: readonly RoleStep[], continues: (group: string) => boolean) {
    this.#continues = continues;
    for (const step of steps) this.note(step);
  }

  /** A step without a session leaves the role's earlier session in place. */
  note(step: RoleStep): void {
    if (step.group !== undefined && !this.#continues(step.group.name)) return;
    if (step.run?.session != null) this.#sessions.set(step.role, step.run.session);
  }

  lastOf(role: string): string | null {
    return this.#sessions.get(role) ?? null;
  }
}
