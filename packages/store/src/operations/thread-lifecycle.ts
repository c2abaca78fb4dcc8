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
import { existsAlready, notFound, toAnswer, toRaise, toRemove } from "../threads/refusals.ts";
import { changedLabels } from "../threads/thread-changes.ts";
import { searchable } from "../threads/thread-words.ts";
import { change, changing, type Deed, type Operation, one, oneWide } from "./operation.ts";
import { refused } from "./refused.ts";
import { usageValues } from "./spent.ts";
import { RECORD_COLUMNS, textOf } from "./thread-columns.ts";
import { getThread, startedWith } from "./thread-queries.ts";
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
  thread: NewThread,
  startKey: string | null,
): Deed<{ thread: ThreadRecord; created: boolean }> {
  return changing(`create thread ${thread.threadId}`, function* () {
    const earlier = startKey === null ? null : yield* startedWith(startKey);
    if (earlier !== null) return { thread: earlier, created: false };
    return { thread: yield* inserted(thread, startKey), created: true };
  });
}

/** Inserts threads of another storage root, in one transaction. */
export function adoptThreads(threads: readonly AdoptedThread[]): Deed<void> {
  return changing(`adopt ${threads.length} threads`, function* () {
    for (const thread of threads) {
      yield* inserted(thread, null);
      const { threadId, usage = null } = thread;
      yield* change(ADOPT_USAGE, { threadId, ...usageValues(usage) });
      yield* adoptStanding(thread);
    }
  });
}

/** A person's answer replaces the question. */
export function answerThread(answer: Parameters<ThreadStore["answer"]>[0]): Deed<void> {
  const { threadId, text, nowMs } = answer;
  return changing(`answer thread ${threadId}`, function* () {
    const changes = yield* change(ANSWER, { threadId, text: storedProse(text), nowMs });
    if (changes === 1) return;
    throw refused(toAnswer(yield* getThread(threadId), threadId), threadId);
  });
}

/** Sets limits; a thread that waits because of one no longer waits. */
export function raiseLimits(request: Parameters<ThreadStore["raise"]>[0]): Deed<void> {
  const { threadId, nowMs } = request;
  return changing(`set the limits of thread ${threadId}`, function* () {
    const before = (yield* getThread(threadId))?.limits ?? null;
    const limits = JSON.stringify(raisedLimits(before, request.limits));
    const changes = yield* change(RAISE, { threadId, limits, nowMs });
    if (changes === 1) return;
    throw refused(toRaise(yield* getThread(threadId), threadId), threadId);
  });
}

export function labelThread({
  threadId,
  set,
  unset,
}: Parameters<ThreadStore["label"]>[0]): Deed<ThreadLabels> {
  return changing(`label thread ${threadId}`, function* () {
    const thread = yield* getThread(threadId);
    if (thread === null) throw new WorkflowError(notFound(threadId));
    const labels = changedLabels(thread.labels, { set, unset });
    const stored = Object.keys(labels).length === 0 ? null : JSON.stringify(labels);
    yield* change(LABEL, { threadId, labels: stored });
    return labels;
  });
}

/** Nobody appends to the history meanwhile, because its lines are also part of transactions. */
export function forgetThreads({ endedBefore }: Parameters<ThreadStore["forget"]>[0]): Deed<number> {
  return changing("forget removed threads", function* () {
    const { changes } = yield { kind: "history", forget: { endedBefore } };
    return changes;
  });
}

/** Order of effects: the history line of the removal is on disk before the row is deleted. A crash in between leaves
 *  the thread, which can be removed again; in the opposite order it would count as lost. */
export function removeThread(request: Parameters<ThreadStore["remove"]>[0]): Deed<void> {
  const { threadId, replaces, nowMs } = request;
  return changing(`remove thread ${threadId}`, function* () {
    const row = yield* one(REMOVE, { threadId, replaces });
    if (row === undefined) throw refused(toRemove(yield* getThread(threadId), request), threadId);
    for (const table of ["threadWords", "asks", "sharedBudgets", "workerCalls"])
      yield* change(`DELETE FROM ${table} WHERE threadId = :threadId`, { threadId });
    const removed = { threadId, bundleHash: textOf(row, "bundleHash"), removedAt: nowMs };
    yield { kind: "history", removed };
  });
}

/** A new row, idle. Throws `TARGET_EXISTS`. */
function* inserted(thread: NewThread, startKey: string | null): Operation<ThreadRecord> {
  const { threadId, title = null, prompt = null } = thread;
  const row = yield* oneWide(INSERT, newRow(thread, startKey));
  if (row === undefined) throw new WorkflowError(existsAlready(threadId));
  const words = searchable(title, prompt);
  yield* change("INSERT INTO threadWords VALUES (:threadId, :words)", { threadId, words });
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
    startedAt, createdAt, updatedAt, fence, priority, pool, needs, queuedAt, queuedFor, notBefore)
  VALUES (
    :threadId, :threadIdReversed, :startKey, :workflow, :bundleHash, :startHash, :head, :headSha256,
    :status, :stepCount, :depth, :parentThread, :cwd, :limits, :agent, :title, :promptLine, :labels, :nextPrompt, :forkedFromThread, :forkedFromState,
    :startedAt, :createdAt, :createdAt, 0, :priority, :pool, :needs, :queuedAt, :queuedFor, :notBefore)
  ON CONFLICT (threadId) DO NOTHING
  RETURNING ${RECORD_COLUMNS}`;

/** The state of a thread that was just inserted: new and idle. */
function* adoptStanding(thread: AdoptedThread): Operation<void> {
  const { threadId, status, updatedAt } = thread;
  const at = { threadId, updatedAt };
  switch (status) {
    case "idle":
      yield* change(ADOPT_IDLE, { ...at, ...storedInput(thread.pendingInput) });
      break;
    case "suspended": {
      const { pendingInput, waits } = thread;
      const existing = { ...storedInput(pendingInput), ...storedWaits(waits) };
      yield* change(ADOPT_SUSPENDED, { ...at, ...existing });
      break;
    }
    default:
      yield* change(ADOPT_FINISHED, { ...at, ...storedEnding(thread) });
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
