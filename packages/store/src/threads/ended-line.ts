import type { FinishedThread, HistoryLine } from "@uncaged/workflow-protocol";

/** What history says of a thread that has just ended. */
export function endedLine(thread: FinishedThread): HistoryLine {
  const { threadId, workflow, bundleHash, status, returnCode, summary } = thread;
  const { head, headSha256, stepCount, startedAt, updatedAt: finishedAt } = thread;
  return {
    ...{ threadId, workflow, bundleHash, status, returnCode, summary },
    ...{ head, headSha256, stepCount, startedAt, finishedAt },
  };
}
