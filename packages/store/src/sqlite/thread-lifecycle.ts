/** How a thread's row is created, deleted, and changed while nobody owns the thread. */
import {
  type AdoptedThread,
  isFinal,
  type NewThread,
  raisedLimits,
  THREAD_STATUSES,
  type ThreadLabels,
  type ThreadRecord,
  type ThreadStore,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { quoted } from "../database/sql-text.ts";
import { forgetRemoved } from "../history/forget-removed.ts";
import { appendRemoval } from "../history/history.ts";
import { existsAlready, notFound, toAnswer, toRaise, toRemove } from "../threads/refusals.ts";
import { changedLabels } from "../threads/thread-changes.ts";
import { searchable } from "../threads/thread-words.ts";
import { refused } from "./refused.ts";
import { usageValues } from "./spent.ts";
import { RECORD_COLUMNS, textOf } from "./thread-columns.ts";
import type { ThreadIndex } from "./thread-index.ts";
import { getThread } from "./thread-queries.ts";
import {
  ENDING,
  NO_SUSPENSION,
  newRow,
  PENDING_INPUT,
  recordOf,
  SUSPENSION,
  storedEnding,
  storedInput,
  storedProse,
  storedWaits,
} from "./thread-rows.ts";

export function createThread(
  index: ThreadIndex,
  thread: NewThread,
  startKey: string | null,
): { thread: ThreadRecord; created: boolean } {
  return index.transaction(`create thread ${thread.threadId}`, () => {
    const earlier = startKey === null ? null : startedWith(index, startKey);
    if (earlier !== null) return { thread: earlier, created: false };
    return { thread: inserted(index, thread, startKey), created: true };
  });
}

/** Inserts threads of another storage root, in one transaction. */
export function adoptThreads(index: ThreadIndex, threads: readonly AdoptedThread[]): void {
  index.transaction(`adopt ${threads.length} threads`, () => {
    for (const thread of threads) {
      inserted(index, thread, null);
      const { threadId, usage = null } = thread;
      index.sql(ADOPT_USAGE).run({ threadId, ...usageValues(usage) });
      adoptStanding(index, thread);
    }
  });
}

/** A person's answer replaces the question. */
export function answerThread(
  index: ThreadIndex,
  answer: Parameters<ThreadStore["answer"]>[0],
): void {
  const { threadId, text, nowMs } = answer;
  index.transaction(`answer thread ${threadId}`, () => {
    const { changes } = index.sql(ANSWER).run({ threadId, text: storedProse(text), nowMs });
    if (changes === 1) return;
    throw refused(toAnswer(getThread(index, threadId), threadId), threadId);
  });
}

/** Sets limits; a thread that waits because of one no longer waits. */
export function raiseLimits(
  index: ThreadIndex,
  request: Parameters<ThreadStore["raise"]>[0],
): void {
  const { threadId, nowMs } = request;
  index.transaction(`set the limits of thread ${threadId}`, () => {
    const before = getThread(index, threadId)?.limits ?? null;
    const limits = JSON.stringify(raisedLimits(before, request.limits));
    const { changes } = index.sql(RAISE).run({ threadId, limits, nowMs });
    if (changes === 1) return;
    throw refused(toRaise(getThread(index, threadId), threadId), threadId);
  });
}

export function labelThread(
  index: ThreadIndex,
  { threadId, set, unset }: Parameters<ThreadStore["label"]>[0],
): ThreadLabels {
  return index.transaction(`label thread ${threadId}`, () => {
    const thread = getThread(index, threadId);
    if (thread === null) throw new WorkflowError(notFound(threadId));
    const labels = changedLabels(thread.labels, { set, unset });
    const stored = Object.keys(labels).length === 0 ? null : JSON.stringify(labels);
    index.sql(LABEL).run({ threadId, labels: stored });
    return labels;
  });
}

/** Nobody appends to the history meanwhile, because its lines are also part of transactions. */
export function forgetThreads(
  index: ThreadIndex,
  { endedBefore }: Parameters<ThreadStore["forget"]>[0],
): number {
  return index.transaction("forget removed threads", () => forgetRemoved(index.root, endedBefore));
}

/** Order of effects: the history line of the removal is on disk before the row is deleted. A crash in between leaves
 *  the thread, which can be removed again; in the opposite order it would count as lost. */
export function removeThread(
  index: ThreadIndex,
  request: Parameters<ThreadStore["remove"]>[0],
): void {
  const { threadId, replaces, nowMs } = request;
  index.transaction(`remove thread ${threadId}`, () => {
    const row = index.sql(REMOVE).get({ threadId, replaces });
    if (row === undefined) throw refused(toRemove(getThread(index, threadId), request), threadId);
    for (const table of ["threadWords", "asks"])
      index.sql(`DELETE FROM ${table} WHERE threadId = :threadId`).run({ threadId });
    appendRemoval(index.root, { threadId, bundleHash: textOf(row, "bundleHash") }, nowMs);
  });
}

/** A new row, idle. Throws `TARGET_EXISTS`. */
function inserted(index: ThreadIndex, thread: NewThread, startKey: string | null): ThreadRecord {
  const { threadId, title = null, prompt = null } = thread;
  const row = index.arrays(INSERT).get(newRow(thread, startKey));
  if (row === undefined) throw new WorkflowError(existsAlready(threadId));
  const words = searchable(title, prompt);
  index.sql("INSERT INTO threadWords VALUES (:threadId, :words)").run({ threadId, words });
  return recordOf(row);
}

const LABEL = "UPDATE threads SET labels = :labels WHERE threadId = :threadId";

const FINAL = quoted(THREAD_STATUSES.filter(isFinal));

const ANSWER = `
  UPDATE threads SET
    status = 'idle', answerRole = suspendedRole, answerText = :text, nextPrompt = NULL,
    ${NO_SUSPENSION}, updatedAt = :nowMs
  WHERE threadId = :threadId AND status = 'suspended' AND (suspendedKind IS NULL OR suspendedKind = 'coordinator')`;

// Columns on the right-hand side have the values from before the update.
const RAISE = `
  UPDATE threads SET
    limits = :limits,
    status = CASE WHEN suspendedKind = 'limit' THEN 'idle' ELSE status END,
    suspendedRole = CASE WHEN suspendedKind = 'limit' THEN NULL ELSE suspendedRole END,
    suspendedMessage = CASE WHEN suspendedKind = 'limit' THEN NULL ELSE suspendedMessage END,
    suspendedKind = NULLIF(suspendedKind, 'limit'), suspendedLimit = NULL,
    updatedAt = :nowMs
  WHERE threadId = :threadId AND status NOT IN (${FINAL})`;

const REMOVE = `
  DELETE FROM threads
  WHERE threadId = :threadId AND (leasePid IS NULL OR fence = :replaces)
  RETURNING bundleHash`;

const INSERT = `
  INSERT INTO threads (
    threadId, threadIdReversed, startKey, workflow, bundleHash, startHash, head, headSha256,
    status, stepCount, depth, parentThread, cwd, limits, agent, title, promptLine, labels, nextPrompt, forkedFromThread, forkedFromState,
    startedAt, createdAt, updatedAt, fence, priority, queuedAt, queuedFor, notBefore)
  VALUES (
    :threadId, :threadIdReversed, :startKey, :workflow, :bundleHash, :startHash, :head, :headSha256,
    :status, :stepCount, :depth, :parentThread, :cwd, :limits, :agent, :title, :promptLine, :labels, :nextPrompt, :forkedFromThread, :forkedFromState,
    :startedAt, :createdAt, :createdAt, 0, :priority, :queuedAt, :queuedFor, :notBefore)
  ON CONFLICT (threadId) DO NOTHING
  RETURNING ${RECORD_COLUMNS}`;

/** The state of a thread that was just inserted: new and idle. */
function adoptStanding(index: ThreadIndex, thread: AdoptedThread): void {
  const { threadId, status, updatedAt } = thread;
  const at = { threadId, updatedAt };
  switch (status) {
    case "idle":
      index.sql(ADOPT_IDLE).run({ ...at, ...storedInput(thread.pendingInput) });
      break;
    case "suspended": {
      const { pendingInput, waits } = thread;
      const existing = { ...storedInput(pendingInput), ...storedWaits(waits) };
      index.sql(ADOPT_SUSPENDED).run({ ...at, ...existing });
      break;
    }
    default:
      index.sql(ADOPT_FINISHED).run({ ...at, ...storedEnding(thread) });
  }
}

const ADOPT_USAGE = `
  UPDATE threads SET inputTokens = :inputTokens, outputTokens = :outputTokens,
    cachedInputTokens = :cachedInputTokens, costUsd = :costUsd, estimated = :estimated
  WHERE threadId = :threadId`;

const ADOPT_IDLE = `
  UPDATE threads SET updatedAt = :updatedAt, ${PENDING_INPUT} WHERE threadId = :threadId`;

const ADOPT_SUSPENDED = `
  UPDATE threads SET updatedAt = :updatedAt, status = 'suspended', ${PENDING_INPUT}, ${SUSPENSION}
  WHERE threadId = :threadId`;

const ADOPT_FINISHED = `
  UPDATE threads SET updatedAt = :updatedAt, ${ENDING} WHERE threadId = :threadId`;

function startedWith(index: ThreadIndex, startKey: string): ThreadRecord | null {
  const row = index
    .arrays(`SELECT ${RECORD_COLUMNS} FROM threads WHERE startKey = :startKey`)
    .get({ startKey });
  return row === undefined ? null : recordOf(row);
}
