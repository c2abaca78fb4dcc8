import { type Failure, failure } from "@uncaged/workflow-protocol";

export function leaseLost(threadId: string): Failure {
  return failure(
    "LEASE_LOST",
    `another process owns thread ${threadId} by now`,
    "nothing to do: it goes on there",
  );
}
