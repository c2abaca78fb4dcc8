/** Ends a thread: an end node, then a line of history and the final status, which are one operation of the store.
 *  A crash in between leaves two blobs that nothing refers to, and the thread ends again after a resume. */
import {
  END,
  EXIT,
  type NodeStore,
  type RecordedResult,
  type StepRoute,
  type StepRun,
  type ThreadEnding,
  type ThreadStore,
} from "@uncaged/workflow-protocol";
import { encodeStep } from "../chain/append-step.ts";
import type { ChainCursor } from "../chain/chain-cursor.ts";
import { resultInMeta } from "../chain/recorded-result.ts";
import { spentBy } from "../chain/spent.ts";

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
  ports: { cas: NodeStore; store: ThreadStore },
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
    spent: spentBy(END, output.run),
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
