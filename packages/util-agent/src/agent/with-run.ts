import { AgentError, agentFaultOf, failureFrom, type StepRun } from "@uncaged/workflow-protocol";

/** The error for a step to fail with: for a failure of the agent, its own code plus the record of the run, because
 *  its cost counts. An error from below the agent, such as the store's, is passed on as it is. */
export async function withRun(
  thrown: unknown,
  about: { run: () => Promise<StepRun>; redact: (text: string) => string },
): Promise<unknown> {
  const fault = agentFaultOf(thrown);
  if (fault === null) return thrown;
  try {
    const run = await about.run();
    const reason = failureFrom(thrown, "AGENT_FAILED");
    const message = about.redact(reason.message);
    return new AgentError({ ...reason, message }, { ...fault, run });
  } catch (broken) {
    return broken;
  }
}
