/** How a thread's row comes, goes, and changes while nobody owns the thread. */
import {
  canMove,
  isFinal,
  type NewThread,
  type ThreadRecord,
  type ThreadStore,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { existsAlready, removeRefusal, statusRefusal } from "../refusals.ts";
import { refused } from "./refused.ts";
import { NO_SIGNALS } from "./signals.ts";
import { RECORD_COLUMNS } from "./thread-columns.ts";
import type { ThreadIndex } from "./thread-index.ts";
import { getThread } from "./thread-queries.ts";
import { newRow, recordOf } from "./thread-rows.ts";

export function createThread(
  index: ThreadIndex,
  thread: NewThread,
  startKey: string | null,
): { thread: ThreadRecord; created: boolean } {
  return index.change(`create thread ${thread.threadId}`, () => {
    const earlier = startKey === null ? null : startedWith(index, startKey);
    if (earlier !== null) return { thread: earlier, created: false };
    const row = index.arrays(INSERT).get(newRow(thread, startKey));
    if (row === undefined) throw new WorkflowError(existsAlready(thread.threadId));
    return { thread: recordOf(row), created: true };
  });
}

/** Changes the status of a thread that nobody owns. */
export function setStatus(
  index: ThreadIndex,
  change: Parameters<ThreadStore["setStatus"]>[0],
): void {
  const { threadId, from, to, nowMs } = change;
  index.change(`set thread ${threadId} to ${to}`, () => {
    const possible = canMove(from, to) && to !== "running";
    const signals = isFinal(to) ? `, ${NO_SIGNALS}` : "";
    const done =
      possible &&
      index
        .sql(
          `UPDATE threads SET status = :to, suspendedRole = NULL, suspendedMessage = NULL,
             updatedAt = :nowMs${signals}
           WHERE threadId = :threadId AND status = :from AND leasePid IS NULL`,
        )
        .run({ threadId, from, to, nowMs }).changes === 1;
    if (!done) throw refused(statusRefusal(getThread(index, threadId), change), threadId);
  });
}

/** `replaces` is the fence of an owner known to be dead. */
export function removeThread(index: ThreadIndex, threadId: string, replaces: number | null): void {
  index.change(`remove thread ${threadId}`, () => {
    const { changes } = index
      .sql(
        `DELETE FROM threads
         WHERE threadId = :threadId AND (leasePid IS NULL OR fence = :replaces)`,
      )
      .run({ threadId, replaces });
    if (changes === 1) return;
    const reason = removeRefusal(getThread(index, threadId), { threadId, replaces });
    throw refused(reason, threadId);
  });
}

const INSERT = `
  INSERT INTO threads (
    threadId, threadIdReversed, startKey, workflow, bundleHash, startHash, head, headSha256,
    status, stepCount, depth, parentThread, cwd, forkedFromThread, forkedFromState,
    startedAt, createdAt, updatedAt, fence)
  VALUES (
    :threadId, :threadIdReversed, :startKey, :workflow, :bundleHash, :startHash, :head, :headSha256,
    'idle', :stepCount, :depth, :parentThread, :cwd, :forkedFromThread, :forkedFromState,
    :startedAt, :createdAt, :createdAt, 0)
  ON CONFLICT (threadId) DO NOTHING
  RETURNING ${RECORD_COLUMNS}`;

function startedWith(index: ThreadIndex, startKey: string): ThreadRecord | null {
  const row = index
    .arrays(`SELECT ${RECORD_COLUMNS} FROM threads WHERE startKey = :startKey`)
    .get({ startKey });
  return row === undefined ? null : recordOf(row);
}
