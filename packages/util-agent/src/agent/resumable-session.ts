import type { JsonValue, ThreadContext, WorkflowRuntime } from "@uncaged/workflow-protocol";
import type { AgentDriver, AgentOptions } from "../driver/agent-driver.ts";

export type ResumableSession = {
  session: string;
  /** It belongs to another thread: only a copy of it may be resumed. */
  isCopied: boolean;
  /** See `AgentStep.previousRawUsage`. */
  rawUsage: JsonValue | null;
  /** How many of the thread's steps the session knows. */
  knownSteps: number;
  /** It is that of this very step, which was cut off. Left out: it is an earlier step's. */
  isCutOff?: true;
};

/** The session in which the role last ran; null when there is none that this agent can resume. `note`: why not,
 *  where one would expect it. */
export async function resumableSession(
  ctx: ThreadContext,
  { step, workers }: Pick<WorkflowRuntime, "step" | "workers">,
  { driver, options }: { driver: AgentDriver; options: AgentOptions },
): Promise<{ from: ResumableSession | null; note: string | null }> {
  const { previousSession, originSession, replaced, role } = step;
  const none = { from: null, note: null };
  const own = (await workers?.session()) ?? null;
  if (own !== null && own.agent === driver.name && driver.can.resume) {
    const { session: id, rawUsage } = own;
    const knownSteps = ctx.steps.length;
    const from = { session: id, isCopied: false, rawUsage, knownSteps, isCutOff: true as const };
    return { from, note: "it was cut off while it coordinated, and went on in its own session" };
  }
  const session = originSession?.id ?? previousSession;
  if (session === null || !driver.can.resume) return none;
  const at =
    replaced?.session === session
      ? ctx.steps.length
      : ctx.steps.findLastIndex((step) => step.role === role && step.run?.session === session);
  const run = at === ctx.steps.length ? replaced : ctx.steps[at]?.run;
  // A session belongs to the agent that had it: another may have run the role since, or before.
  if (run == null || run.agent.name !== driver.name) return none;
  const known = { session, knownSteps: Math.min(at + 1, ctx.steps.length) };
  if (originSession === undefined) {
    return { from: { ...known, isCopied: false, rawUsage: run.rawUsage ?? null }, note: null };
  }
  // A private folder belongs to its own thread, so the session is not in this thread's folder.
  const canCopy = driver.can.copy === true && options.config === "user";
  if (!canCopy || !(await originSession.isAsItWas())) {
    return { from: null, note: `session ${session} is another thread's: ${AFRESH}` };
  }
  // The copy's counters are its own.
  const from = { ...known, isCopied: true, rawUsage: null };
  return { from, note: `it continued in a copy of session ${session} of another thread` };
}

const AFRESH = "the role began a new one and was told the thread so far";
