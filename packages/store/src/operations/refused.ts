import {
  type Failure,
  failure,
  type Result,
  type ThreadRecord,
  WorkflowError,
} from "@uncaged/workflow-protocol";

/** The error for a change that no row allowed. Conditions and reasons exist twice, in SQL and in `refusals.ts`; where
 *  they disagree there is a bug, which must not pass for success. */
export function refused(allowed: Result<ThreadRecord, Failure>, threadId: string): WorkflowError {
  return new WorkflowError(
    allowed.ok
      ? failure("INTERNAL", `the index refused a change of thread ${threadId} without a reason`, "")
      : allowed.error,
  );
}
