import type { ThreadCopy, ThreadRecord } from "@uncaged/workflow-protocol";

/** A thread as it can go elsewhere, together with the threads of `family` (ids). Who runs it, a gate that was
 *  closed, and a parent that does not come along stay behind; so a thread and its import export to the same bytes. */
export function portableThread(thread: ThreadRecord, family: ReadonlySet<string>): ThreadCopy {
  const { parentThread } = thread;
  return {
    threadId: thread.threadId,
    workflow: thread.workflow,
    bundleHash: thread.bundleHash,
    startHash: thread.startHash,
    head: thread.head,
    headSha256: thread.headSha256,
    status: restingStatus(thread.status),
    stepCount: thread.stepCount,
    depth: thread.depth,
    parentThread: parentThread !== null && family.has(parentThread) ? parentThread : null,
    cwd: thread.cwd,
    limits: thread.limits,
    agent: thread.agent,
    returnCode: thread.returnCode,
    summary: thread.summary,
    suspended: thread.suspended,
    answer: thread.answer,
    ...(thread.nextPrompt === null ? {} : { nextPrompt: thread.nextPrompt }),
    forkedFrom: thread.forkedFrom,
    startedAt: thread.startedAt,
    createdAt: thread.createdAt,
    updatedAt: thread.updatedAt,
  };
}

function restingStatus(status: ThreadRecord["status"]): ThreadCopy["status"] {
  return status === "running" || status === "paused" ? "idle" : status;
}
