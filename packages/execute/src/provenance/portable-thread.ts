import { copiedFacts, type ThreadCopy, type ThreadRecord } from "@uncaged/workflow-protocol";

/** A thread in a form that can be moved elsewhere, together with the threads of `family` (ids). Its runner, a closed
 *  gate, and a parent that is not exported stay behind; so a thread and its import export to the same bytes. */
export function portableThread(thread: ThreadRecord, family: ReadonlySet<string>): ThreadCopy {
  const { parentThread: parent } = thread;
  const parentThread = parent !== null && family.has(parent) ? parent : null;
  const facts = { ...copiedFacts(thread), parentThread };
  switch (thread.status) {
    case "idle":
    case "queued":
    case "running":
    case "paused": {
      const { pendingInput } = thread;
      return { ...facts, status: "idle", pendingInput };
    }
    case "suspended": {
      const { status, waits, pendingInput } = thread;
      return { ...facts, status, waits, pendingInput };
    }
    case "completed":
    case "failed":
    case "aborted": {
      const { status, returnCode, summary } = thread;
      return { ...facts, status, returnCode, summary };
    }
  }
}
