import { type Failure, failure, type ThreadRecord } from "@uncaged/workflow-protocol";

/** A finished thread is final; `so` says what that rules out. */
export function finishedRefusal(
  { threadId, status }: Pick<ThreadRecord, "threadId" | "status">,
  so: string,
): Failure {
  return failure(
    "TRANSITION_INVALID",
    `thread ${threadId} is ${status}; ${so}`,
    `continue from one of its steps with: uncaged-workflow thread fork ${threadId} --from-step <n>`,
  );
}
