import { type Failure, type Result, WorkflowError } from "@uncaged/workflow-protocol";

/** The value, for callers whose own failures are thrown: those that a role calls. */
export function orThrow<T>(result: Result<T, Failure>): T {
  if (result.ok) return result.value;
  throw new WorkflowError(result.error);
}
