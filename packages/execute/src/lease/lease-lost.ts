import { type Failure, failure } from "@uncaged/workflow-protocol";

export function leaseLost(threadId: string): Failure {
  return failure(
    "LEASE_LOST",
    `another process now owns thread ${threadId}`,
    "nothing to do: it continues there",
  );
}
