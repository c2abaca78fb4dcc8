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
import { integerOf, type NamedRow, textOf } from "./thread-columns.ts";
import type { ThreadIndex } from "./thread-index.ts";
import { storedLabels } from "./thread-labels.ts";
import { getThread } from "./thread-queries.ts";
import { storedProse } from "./thread-rows.ts";

/** Records the notices about a thread that was just suspended or has just ended. Part of the caller's
 *  transaction. */
export function recordNotices(index: ThreadIndex, threadId: string): void {
  // Usually there are no listeners, and nothing more is read.
  if (index.sql("SELECT 1 FROM listeners LIMIT 1").get() === undefined) return;
  const thread = getThread(index, threadId);
  if (thread === null) return;
  for (const notice of noticesOf(thread)) index.sql(RECORD).run(rowOf(notice));
}

/** The same for a step that is under way and asks a person. */
export function recordAsk(
  index: ThreadIndex,
  { threadId, wait }: Omit<Ask, "fence">,
  at: number,
): void {
  const thread = getThread(index, threadId);
  if (thread !== null) index.sql(RECORD).run(rowOf(noticeOfWait(thread, wait, at)));
}

export function setListeners(index: ThreadIndex, listeners: readonly string[]): void {
  index.transaction("set who is told", () => {
    const names = JSON.stringify(listeners);
    index.sql(`DELETE FROM listeners WHERE ${UNNAMED("name")}`).run({ names });
    index.sql(`DELETE FROM notices WHERE ${UNNAMED("listener")}`).run({ names });
    for (const name of listeners)
      index.sql("INSERT OR IGNORE INTO listeners VALUES (:name)").run({ name });
  });
}

export function listNotices(
  index: ThreadIndex,
  { listener, dueBy, limit }: Parameters<ThreadStore["notices"]>[0],
): PendingNotice[] {
  const values = { listener: listener ?? null, dueBy: dueBy ?? null, limit: limit ?? -1 };
  return index.read("read what is to be told", () => index.sql(PENDING).all(values).map(pendingOf));
}

export function settleNotice(
  index: ThreadIndex,
  { listener, id, nowMs }: Parameters<ThreadStore["settleNotice"]>[0],
): void {
  index.transaction(`settle notice ${id}`, () => {
    index.sql(SETTLE).run({ listener, id, nowMs });
    index.sql("DELETE FROM notices WHERE toldAt < :before").run({ before: nowMs - REMEMBERED_MS });
  });
}

export function putOffNotice(
  index: ThreadIndex,
  { listener, id, dueAt, fault }: Parameters<ThreadStore["putOffNotice"]>[0],
): void {
  index.transaction(`put off notice ${id}`, () => {
    index.sql(PUT_OFF).run({ listener, id, dueAt, fault: storedProse(fault) });
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
