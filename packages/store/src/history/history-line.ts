/** Lines of `bundles/<hash>/history/<day>.jsonl`. */
import {
  type HistoryLine,
  isHash,
  isThreadId,
  MAX_UNIX_MS,
  parseJson,
} from "@uncaged/workflow-protocol";

/** Records that a thread was removed, so that it does not count as lost. It need not have ended. */
export type RemovalLine = { threadId: string; removedAt: number };

export function encodeRemovalLine({ threadId, removedAt }: RemovalLine): string {
  return JSON.stringify({ threadId, removedAt } satisfies RemovalLine);
}

/** null for any other line. */
export function decodeRemovalLine(text: string): RemovalLine | null {
  const { threadId, removedAt } = parsed(text) ?? {};
  if (typeof threadId !== "string" || !isThreadId(threadId) || !isTime(removedAt)) return null;
  return { threadId, removedAt };
}

/** One line without its newline. The keys are in this order, whatever the object's. */
export function encodeHistoryLine(line: HistoryLine): string {
  return JSON.stringify({
    threadId: line.threadId,
    workflow: line.workflow,
    bundleHash: line.bundleHash,
    status: line.status,
    returnCode: line.returnCode,
    summary: line.summary,
    head: line.head,
    headSha256: line.headSha256,
    stepCount: line.stepCount,
    startedAt: line.startedAt,
    finishedAt: line.finishedAt,
  } satisfies HistoryLine);
}

/** null for any other line: a torn one, or one that a person wrote. */
export function decodeHistoryLine(text: string): HistoryLine | null {
  const line = parsed(text);
  if (line === null) return null;
  const { threadId, workflow, bundleHash, head, headSha256, summary } = line;
  const { status, returnCode, stepCount, startedAt, finishedAt } = line;
  if (typeof threadId !== "string" || !isThreadId(threadId)) return null;
  if (typeof workflow !== "string" || typeof summary !== "string") return null;
  if (typeof bundleHash !== "string" || !isHash(bundleHash)) return null;
  if (typeof head !== "string" || !isHash(head) || typeof headSha256 !== "string") return null;
  if (status !== "completed" && status !== "failed" && status !== "aborted") return null;
  if (!isCount(returnCode) || !isCount(stepCount)) return null;
  if (!isTime(startedAt) || !isTime(finishedAt)) return null;
  return {
    threadId,
    workflow,
    bundleHash,
    status,
    returnCode,
    summary,
    head,
    headSha256,
    stepCount,
    startedAt,
    finishedAt,
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  const value = parseJson(text);
  return typeof value === "object" && value !== null ? { ...value } : null;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isTime(value: unknown): value is number {
  return isCount(value) && value <= MAX_UNIX_MS;
}
