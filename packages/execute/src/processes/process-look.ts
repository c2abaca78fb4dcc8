import { PROCESS_TAG_ENV, type ThreadFacts } from "@uncaged/workflow-protocol";
import { processesWith } from "@uncaged/workflow-util";
import { guardTags } from "./guard.ts";
import { threadOf } from "./process-tags.ts";

/** What one pass over the system's processes showed, for commands that deal with many threads. */
export type ProcessLook = {
  /** False: this thread had no processes, and nobody has run it since. */
  mayHaveProcesses(thread: Pick<ThreadFacts, "threadId" | "updatedAt">): boolean;
};

/** `nowMs`: Unix milliseconds, by the clock of the threads' owners. */
export function lookForProcesses(nowMs: number): ProcessLook {
  const tags = [...processesWith(PROCESS_TAG_ENV).values(), ...guardTags()];
  const seen = new Set(tags.map(threadOf));
  // Taking a lease and giving it up both count as changes of the thread.
  return {
    mayHaveProcesses: ({ threadId, updatedAt }) => updatedAt >= nowMs || seen.has(threadId),
  };
}
