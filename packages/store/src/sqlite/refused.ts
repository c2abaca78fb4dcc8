import { type Failure, failure, WorkflowError } from "@uncaged/workflow-protocol";

/** The error for a change that no row allowed. Conditions and reasons are written down twice, in
 *  SQL and in `refusals.ts`; where they disagree there is a defect, which must not pass for success. */
export function refused(reason: Failure | null, threadId: string): WorkflowError {
  return new WorkflowError(
    reason ??
      failure("INTERNAL", `the index refused a change of thread ${threadId} without a reason`, ""),
  );
}
