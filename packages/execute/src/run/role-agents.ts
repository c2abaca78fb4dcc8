/** Which agent runs each role of a thread while one process runs it.
 *
 *  1. An agent requested for this step comes first, then one requested for the thread, then the configuration of this
 *     machine; otherwise the workflow's own binding.
 *  2. A session belongs to its agent: an agent that takes over from another one starts a new session. */
import type { RoleStep, StepRequest, ThreadRecord } from "@uncaged/workflow-protocol";
import type { Settings } from "@uncaged/workflow-register";

export type RoleAgent = {
  /** Name in `config.agents`; null: the workflow's own binding. */
  agent: string | null;
  previousSession: string | null;
};

/** `steps`: the steps that the thread had when this process took it. */
export function roleAgents(
  { agent, workflow }: Pick<ThreadRecord, "agent" | "workflow">,
  { bindings }: Pick<Settings, "bindings">,
  steps: readonly RoleStep[],
): (request: Pick<StepRequest, "role" | "agent" | "previousSession">) => RoleAgent {
  const ofWorkflow = bindings.get(workflow);
  const lastPlayers = new Map<string, string | null>();
  /** The agent that owns the session of the role's last run; null: the workflow's own binding. */
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
