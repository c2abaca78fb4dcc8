/** Publishing: the head of a thread moves, in one update and one flush. The blobs it names
 *  become durable before it, or with it in one transaction; a crash before that leaves only garbage. */
import type { HeadMove, SignalKind, ThreadStore } from "@uncaged/workflow-protocol";
import { moveRefusal } from "../refusals.ts";
import { NO_LEASE, OWNED } from "./leases.ts";
import { refused } from "./refused.ts";
import { NO_SIGNALS, waitingSignals } from "./signals.ts";
import type { ThreadIndex } from "./thread-index.ts";
import { getThread } from "./thread-queries.ts";
import { storedProse } from "./thread-rows.ts";

/** Publishes a step, inside a transaction of the caller's: the step's blobs may be part of it. */
export function moveHead(index: ThreadIndex, move: HeadMove): SignalKind[] {
  const { changes } = index.sql(ADVANCE).run(moveValues(move));
  if (changes !== 1) {
    throw refused(moveRefusal(getThread(index, move.threadId), move), move.threadId);
  }
  // Looked up, not RETURNING, which would set up a table of its own for them at every step.
  return waitingSignals(index, move.threadId);
}

type Finish = Parameters<ThreadStore["finish"]>[0];

/** Publishes the end node, the final status and the release of the lease at once. A crash between what is
 *  recorded and the commit leaves a record of an end that did not come to pass: the thread ends again. */
export function finishThread(index: ThreadIndex, finish: Finish): void {
  const { status, returnCode, summary } = finish;
  index.change(`finish thread ${finish.threadId}`, () => {
    const { changes } = index
      .sql(FINISH)
      .run({ ...moveValues(finish), status, returnCode, summary: storedProse(summary) });
    if (changes !== 1) {
      throw refused(moveRefusal(getThread(index, finish.threadId), finish), finish.threadId);
    }
    finish.record?.();
  });
}

const MOVE = `head = :to, headSha256 = :toSha256, stepCount = :stepCount,
  bundleHash = COALESCE(:bundleHash, bundleHash),
  answerRole = CASE WHEN :bundleHash IS NOT NULL THEN answerRole END,
  answerText = CASE WHEN :bundleHash IS NOT NULL THEN answerText END,
  nextPrompt = CASE WHEN :bundleHash IS NOT NULL THEN nextPrompt END,
  replacedHead = CASE :replaces WHEN 1 THEN head END,
  replacedSha256 = CASE :replaces WHEN 1 THEN headSha256 END, updatedAt = :nowMs`;
const FROM_HEAD = `${OWNED} AND head = :from`;

const ADVANCE = `UPDATE threads SET ${MOVE} WHERE ${FROM_HEAD}`;

const FINISH = `
  UPDATE threads SET ${MOVE}, status = :status, returnCode = :returnCode, summary = :summary,
    ${NO_LEASE}, ${NO_SIGNALS}
  WHERE ${FROM_HEAD}`;

function moveValues(move: HeadMove): Record<string, string | number | null> {
  const { threadId, fence, from, to, toSha256, stepCount, nowMs } = move;
  const replaces = move.replaces === true ? 1 : 0;
  const bundleHash = move.bundleHash ?? null;
  return { threadId, fence, from, to, toSha256, stepCount, nowMs, replaces, bundleHash };
}
