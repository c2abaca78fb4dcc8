/** Pending notices to listeners. They are recorded in the transaction of the event itself, so neither a crash nor a host
 *  that is down loses them. */
import {
  type Ask,
  NOTICE_EVENTS,
  type Notice,
  type PendingNotice,
  type ThreadStore,
} from "@uncaged/workflow-protocol";
import { noticeOfWait, noticesOf, REMEMBERED_MS } from "../threads/notices.ts";
import { all, change, changing, type Deed, type Operation, one, reading } from "./operation.ts";
import { integerOf, type NamedRow, textOf } from "./thread-columns.ts";
import { storedLabels } from "./thread-labels.ts";
import { getThread } from "./thread-queries.ts";
import { storedProse } from "./thread-rows.ts";

/** Records the notices about a thread that was just suspended or has just ended. Part of the caller's
 *  transaction. */
export function* recordNotices(threadId: string): Operation<void> {
  // Usually there are no listeners, and nothing more is read.
  if ((yield* one("SELECT 1 FROM listeners LIMIT 1")) === undefined) return;
  const thread = yield* getThread(threadId);
  if (thread === null) return;
  for (const notice of noticesOf(thread)) yield* change(RECORD, rowOf(notice));
}

/** The same for a step that is under way and asks a person. */
export function* recordAsk({ threadId, wait }: Omit<Ask, "fence">, at: number): Operation<void> {
  const thread = yield* getThread(threadId);
  if (thread !== null) yield* change(RECORD, rowOf(noticeOfWait(thread, wait, at)));
}

export function setListeners(listeners: readonly string[]): Deed<void> {
  return changing("set who is told", function* () {
    const names = JSON.stringify(listeners);
    yield* change(`DELETE FROM listeners WHERE ${UNNAMED("name")}`, { names });
    yield* change(`DELETE FROM notices WHERE ${UNNAMED("listener")}`, { names });
    for (const name of listeners)
      yield* change("INSERT INTO listeners VALUES (:name) ON CONFLICT DO NOTHING", { name });
  });
}

export function listNotices({
  listener,
  dueBy,
  limit,
}: Parameters<ThreadStore["notices"]>[0]): Deed<PendingNotice[]> {
  const values = {
    listener: listener ?? null,
    dueBy: dueBy ?? null,
    limit: limit ?? Number.MAX_SAFE_INTEGER,
  };
  return reading("read what is to be told", function* () {
    return (yield* all(PENDING, values)).map(pendingOf);
  });
}

export function settleNotice({
  listener,
  id,
  nowMs,
}: Parameters<ThreadStore["settleNotice"]>[0]): Deed<void> {
  return changing(`settle notice ${id}`, function* () {
    yield* change(SETTLE, { listener, id, nowMs });
    yield* change("DELETE FROM notices WHERE toldAt < :before", { before: nowMs - REMEMBERED_MS });
  });
}

export function putOffNotice({
  listener,
  id,
  dueAt,
  fault,
}: Parameters<ThreadStore["putOffNotice"]>[0]): Deed<void> {
  return changing(`put off notice ${id}`, function* () {
    yield* change(PUT_OFF, { listener, id, dueAt, fault: storedProse(fault) });
  });
}

const UNNAMED = (column: string): string =>
  `${column} NOT IN (SELECT value FROM json_each(:names))`;

const RECORD = `
  INSERT INTO notices
  SELECT name, :id, :event, :at, :threadId, :workflow, :labels, :body, 0, :at, NULL, NULL
  FROM listeners WHERE true
  ON CONFLICT DO NOTHING`;

const PENDING = `
  SELECT listener, id, event, at, threadId, workflow, labels, body, attempts, dueAt, fault
  FROM notices
  WHERE dueAt IS NOT NULL AND (:listener IS NULL OR listener = :listener)
    AND (:dueBy IS NULL OR dueAt <= :dueBy)
  ORDER BY at, listener, id LIMIT :limit`;

const SETTLE = `
  UPDATE notices SET dueAt = NULL, toldAt = :nowMs, body = '', fault = NULL
  WHERE listener = :listener AND id = :id AND dueAt IS NOT NULL`;

const PUT_OFF = `
  UPDATE notices SET attempts = attempts + 1, dueAt = :dueAt, fault = :fault
  WHERE listener = :listener AND id = :id AND dueAt IS NOT NULL`;

function rowOf(notice: Notice): Record<string, string | number> {
  const { id, event, at, threadId, workflow, labels } = notice;
  const body = JSON.stringify(notice);
  return { id, event, at, threadId, workflow, labels: JSON.stringify(labels), body };
}

function pendingOf(row: NamedRow): PendingNotice {
  const event = textOf(row, "event");
  return {
    listener: textOf(row, "listener"),
    id: textOf(row, "id"),
    event: NOTICE_EVENTS.find((known) => known === event) ?? "waits",
    at: integerOf(row, "at"),
    threadId: textOf(row, "threadId"),
    workflow: textOf(row, "workflow"),
    labels: storedLabels(textOf(row, "labels")),
    body: textOf(row, "body"),
    attempts: integerOf(row, "attempts"),
    dueAt: integerOf(row, "dueAt"),
    fault: row.fault === null ? null : faultOf(textOf(row, "fault")),
  };
}

function faultOf(stored: string): string {
  const fault: unknown = JSON.parse(stored);
  return typeof fault === "string" ? fault : stored;
}
