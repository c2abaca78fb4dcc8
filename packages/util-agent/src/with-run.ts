import { AgentError, agentFaultOf, failureFrom, type StepRun } from "@uncaged/workflow-protocol";

/** What a step is to fail with: a failure of the agent, under its own code, with the record of the run, for what
 *  it cost counts. What is broken below the agent, such as the store, stays as it was thrown. */
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
    return new AgentError({ ...reason, message }, { outcome: fault.outcome, run });
  } catch (broken) {
    return broken;
  }
}
