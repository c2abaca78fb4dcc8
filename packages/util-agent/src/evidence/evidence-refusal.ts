import { AgentError, failure, type StepScope } from "@uncaged/workflow-protocol";
import { evidenceWords, type MissingEvidence } from "@uncaged/workflow-util/tool-rules";

/** The error for a step whose result is not accepted, without the record of its run. */
export function evidenceRefusal(
  agent: string,
  { role, round }: Pick<StepScope, "role" | "round">,
  missing: readonly MissingEvidence[],
): AgentError {
  const what = missing.map(evidenceWords).join("; ");
  const reason = failure(
    "EVIDENCE_MISSING",
    `the result of role ${role} (step ${round}) is not accepted: ${agent} was not seen doing what it requires: ${what}`,
    "see what it did do: uncaged-workflow thread show <id> --json (end.run.evidence); state the requirement in the role's prompt, or correct it",
  );
  return new AgentError(reason, { outcome: "invalid_output", run: null });
}

/** The same for files that do not pass the engine's check. */
export function checkRefusal(
  agent: string,
  { role, round }: Pick<StepScope, "role" | "round">,
  faulty: string,
): AgentError {
  const reason = failure(
    "EVIDENCE_MISSING",
    `the result of role ${role} (step ${round}) is not accepted: what ${agent} left does not pass: ${faulty}`,
    "run the command in a clean clone of the files, then mend them or the check",
  );
  return new AgentError(reason, { outcome: "invalid_output", run: null });
}
