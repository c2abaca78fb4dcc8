import { type RoleOutput, type WorkflowYield, yieldedOutput } from "@uncaged/workflow-protocol";

/** For workflows without groups. */
export function oneOutput(yielded: WorkflowYield): RoleOutput {
  const output = yieldedOutput(yielded);
  if (output === null) throw new Error("the workflow yielded a group");
  return output;
}
