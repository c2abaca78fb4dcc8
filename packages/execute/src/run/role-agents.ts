/** Who plays the roles of a thread while one process runs it.
 *
 *  1. Whoever was asked for this step comes first, then whoever was asked for the thread, then the binding of this
 *     machine; without any the workflow's own binding plays.
 *  2. A session is its agent's own: who takes over from another agent begins a session of its own. */
import type { RoleStep, StepRequest, ThreadRecord } from "@uncaged/workflow-protocol";
import type { Settings } from "@uncaged/workflow-register";

export type RoleAgent = {
  /** Name in `config.agents`; null: whoever the workflow binds. */
  agent: string | null;
  previousSession: string | null;
};

/** `steps`: those that the thread had when the process took it over. */
export function roleAgents(
  { agent, workflow }: Pick<ThreadRecord, "agent" | "workflow">,
  { bindings }: Pick<Settings, "bindings">,
  steps: readonly RoleStep[],
): (request: Pick<StepRequest, "role" | "agent" | "previousSession">) => RoleAgent {
  const ofWorkflow = bindings.get(workflow);
  const lastPlayers = new Map<string, string | null>();
  /** Whose session it is, made before or by the role's last run here; a step that is asked for comes with its own. */
  const ownerOf = (role: string, session: string, asked: string | null): string | null => {
    const made = steps.findLast((step) => step.role === role && step.run?.session === session);
    if (made?.run) return made.run.agent.binding ?? null;
    return lastPlayers.get(role) ?? asked;
  };
  return ({ role, agent: asked = null, previousSession }) => {
    const plays = asked ?? agent ?? ofWorkflow?.get(role) ?? null;
    const goesOn = previousSession !== null && ownerOf(role, previousSession, asked) === plays;
    lastPlayers.set(role, plays);
    return { agent: plays, previousSession: goesOn ? previousSession : null };
  };
}
