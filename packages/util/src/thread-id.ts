import { failure, isThreadId, WorkflowError } from "@uncaged/workflow-protocol";
import { decodeTime, monotonicFactory } from "ulid";

const nextUlid = monotonicFactory();

/** A new thread id: a ULID of `nowMs`. Ids made by one process always ascend, even within a millisecond or when the
 *  clock steps back. */
export function newThreadId(nowMs: number): string {
  return nextUlid(nowMs);
}

/** When a thread id was made, in Unix milliseconds. Throws `USAGE` for anything but a thread id. */
export function threadIdTime(threadId: string): number {
  if (isThreadId(threadId)) return decodeTime(threadId);
  throw new WorkflowError(
    failure(
      "USAGE",
      `${JSON.stringify(threadId)} is not a thread id`,
      "a thread id has 26 characters, as `uncaged-workflow thread list` prints them",
    ),
  );
}
