import type { JsonValue, StepScope, ThreadContext } from "@uncaged/workflow-protocol";
import type { AgentDriver } from "./agent-driver.ts";

export type ResumableSession = {
  session: string;
  /** See `AgentStep.previousRawUsage`. */
  rawUsage: JsonValue | null;
  /** How many of the thread's steps the session knows. */
  knownSteps: number;
};

/** The session in which the role ran last; null when there is none that this agent can go on with. */
export function resumableSession(
  ctx: ThreadContext,
  { previousSession, role }: StepScope,
  driver: AgentDriver,
): ResumableSession | null {
  if (previousSession === null || !driver.can.resume) return null;
  const at = ctx.steps.findLastIndex(
    (step) => step.role === role && step.run?.session === previousSession,
  );
  const run = ctx.steps[at]?.run;
  // A session belongs to the agent that had it: another may have played the role since, or before.
  if (run == null || run.agent.name !== driver.name) return null;
  return { session: previousSession, rawUsage: run.rawUsage ?? null, knownSteps: at + 1 };
}
