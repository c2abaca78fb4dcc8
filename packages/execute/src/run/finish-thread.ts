/** Ends a thread: an end node, a line of history, and the final status.
 *
 *  Order of effects: blobs, then history and the index in one transaction, which checks the fence first: an owner that
 *  was replaced writes neither. The line is on disk before the transaction commits. A crash in between leaves the
 *  thread unfinished; it finishes again after a resume and appends another line (readers use a thread's last line). In
 *  the opposite order a finished thread could be missing from history for good. */
import {
  END,
  EXIT,
  type NodeStore,
  type RecordedResult,
  type StepRoute,
  type StepRun,
  type ThreadEnding,
  type ThreadFacts,
  type ThreadStore,
} from "@uncaged/workflow-protocol";
import { appendHistory, type HistoryLine } from "@uncaged/workflow-store";
import { encodeStep } from "../chain/append-step.ts";
import type { ChainCursor } from "../chain/chain-cursor.ts";
import { resultInMeta } from "../chain/recorded-result.ts";

export type Ending = ThreadEnding & {
  /** Stored as the end node's content: the summary, or the full cause. */
  content: string;
  route: StepRoute | null;
  /** What the workflow returns; null: it has no `result`, or did not complete. */
  result?: RecordedResult | null;
  /** Of the role whose failure ended the thread, or of the engine's own models. */
  run?: StepRun | null;
};

export async function finishThread(
  ports: { root: string; cas: NodeStore; store: ThreadStore },
  thread: Pick<ThreadFacts, "threadId" | "workflow" | "bundleHash" | "startedAt">,
  cursor: ChainCursor,
  { ending, nowMs }: { ending: Ending; nowMs: number },
): Promise<{ head: string }> {
  const { status, returnCode, summary } = ending;
  const output = {
    role: END,
    meta: { returnCode, summary, ...resultInMeta(ending.result ?? null) },
    content: ending.content,
    route: ending.route,
    run: ending.run ?? null,
  };
  const { content, state } = await encodeStep(ports.cas, cursor, { output, nowMs });
  await ports.cas.putBatch([content, state]);
  const line: HistoryLine = {
    threadId: thread.threadId,
    workflow: thread.workflow,
    bundleHash: thread.bundleHash,
    status,
    returnCode,
    summary,
    head: state.hash,
    headSha256: state.sha256,
    stepCount: cursor.rounds,
    startedAt: thread.startedAt,
    finishedAt: nowMs,
  };
  await ports.store.finish({
    threadId: cursor.threadId,
    fence: cursor.fence,
    from: cursor.head,
    to: state.hash,
    toSha256: state.sha256,
    nowMs,
    status,
    returnCode,
    summary,
    record: () => appendHistory(ports.root, line),
  });
  return { head: state.hash };
}

/** The ending of a thread that was killed after this many steps. */
export function abortedEnding(steps: number): Ending {
  const summary = `Aborted after ${steps === 1 ? "1 step" : `${steps} steps`}.`;
  return { status: "aborted", returnCode: EXIT.aborted, summary, content: summary, route: null };
}

/** The ending of a thread that its supervisor killed. */
export function supervisedEnding(reason: string): Ending {
  const summary = `supervisor: ${reason}`;
  return { status: "aborted", returnCode: EXIT.aborted, summary, content: summary, route: null };
}

export function statusOf(returnCode: number): Ending["status"] {
  if (returnCode === 0) return "completed";
  return returnCode === 130 ? "aborted" : "failed";
}
