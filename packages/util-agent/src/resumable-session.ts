import type { JsonValue, StepScope, ThreadContext } from "@uncaged/workflow-protocol";
import type { AgentDriver, AgentOptions } from "./agent-driver.ts";

export type ResumableSession = {
  session: string;
  /** It is another thread's: only a copy of it may be gone on with. */
  isCopied: boolean;
  /** See `AgentStep.previousRawUsage`. */
  rawUsage: JsonValue | null;
  /** How many of the thread's steps the session knows. */
  knownSteps: number;
};

/** The session in which the role ran last; null when there is none that this agent can go on with. `note`: why not,
 *  where one would expect it. */
export async function resumableSession(
  ctx: ThreadContext,
  { previousSession, originSession, role }: StepScope,
  { driver, options }: { driver: AgentDriver; options: AgentOptions },
): Promise<{ from: ResumableSession | null; note: string | null }> {
  const none = { from: null, note: null };
  const session = originSession?.id ?? previousSession;
  if (session === null || !driver.can.resume) return none;
  const at = ctx.steps.findLastIndex((step) => step.role === role && step.run?.session === session);
  const run = ctx.steps[at]?.run;
  // A session belongs to the agent that had it: another may have played the role since, or before.
  if (run == null || run.agent.name !== driver.name) return none;
  const known = { session, knownSteps: at + 1 };
  if (originSession === undefined) {
    return { from: { ...known, isCopied: false, rawUsage: run.rawUsage ?? null }, note: null };
  }
  // A private folder is its own thread's: the session is not to be found in this one's.
  const canCopy = driver.can.copy === true && options.config === "user";
  if (!canCopy || !(await originSession.isAsItWas())) {
    return { from: null, note: `session ${session} is another thread's: ${AFRESH}` };
  }
  // The copy's counters are its own.
  const from = { ...known, isCopied: true, rawUsage: null };
  return { from, note: `it went on in a copy of session ${session} of another thread` };
}

const AFRESH = "the role began a new one and was told the thread so far";
