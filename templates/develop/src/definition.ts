import type { CheckRequirement, WorkflowDefinition } from "@uncaged/workflow-runtime";
import { type DevelopMeta, developRoles } from "./roles.ts";
import { developTable, TO_CHECKED_AGAIN } from "./rules.ts";

/** From a task to a reviewed, tested commit on the current branch of the working directory, on the word of the agents:
 *  for a repository without tests, or without git. */
export const developUncheckedDefinition: WorkflowDefinition<DevelopMeta> = {
  description: "Plans a task in phases, codes them one by one, reviews, tests and commits",
  workspace: "exclusive",
  roles: developRoles,
  table: developTable,
};

/** The same for a repository whose tests the engine runs itself, on the files that the coder left. It works with every
 *  agent, in a git repository. Only files that passed are committed: what somebody changed since goes back to the
 *  coder. */
export function developCheckedBy(
  check: CheckRequirement["check"],
): WorkflowDefinition<DevelopMeta> {
  const coder = { ...developRoles.coder, requiredEvidence: [{ check }] };
  return {
    ...developUncheckedDefinition,
    roles: { ...developRoles, coder },
    table: { ...developTable, tester: [TO_CHECKED_AGAIN, ...developTable.tester] },
  };
}

/** The same for a repository whose tests are run by `npm test`, after `npm install`. */
export const developWorkflowDefinition: WorkflowDefinition<DevelopMeta> = developCheckedBy({
  command: ["npm", "test"],
  setup: ["npm", "install"],
});

/** The same for a repository whose tests are run by a command that `tests` matches, for example `^npm test$`, where the
 *  engine cannot run them: a coder's result counts only when such a command exited with 0 after the coder's last edit.
 *  The agent that plays the coder has to report exit codes, or the step fails with `EVIDENCE_MISSING`. */
export function developProvenBy({ tests }: { tests: string }): WorkflowDefinition<DevelopMeta> {
  const requiredEvidence = [
    { name: "tests", kind: "execute", input: tests, after: "last_edit" },
  ] as const;
  return {
    ...developUncheckedDefinition,
    roles: { ...developRoles, coder: { ...developRoles.coder, requiredEvidence } },
  };
}
