/** Which threads wait for room, and whose turn it is. */
import type { Dispatch, LimitKey, QueuedThread } from "@uncaged/workflow-protocol";
import { toQueue } from "../threads/refusals.ts";
import { nextOf, type Waiting } from "../threads/room.ts";
import { crowdOf, expectedKeys } from "./crowd.ts";
import { NO_LEASE } from "./lease-columns.ts";
import { readLimits } from "./limits.ts";
import { limitKeys, NOT_QUEUED } from "./queue-places.ts";
import { refused } from "./refused.ts";
import { fullForLease } from "./room.ts";
import { type NamedRow, RECORD_COLUMNS, textOf } from "./thread-columns.ts";
import type { ThreadIndex } from "./thread-index.ts";
import { getThread } from "./thread-queries.ts";
import { recordOf } from "./thread-rows.ts";

type Want = Parameters<Dispatch["want"]>[0];

export function wantThread(index: ThreadIndex, job: Want): void {
  index.transaction(`queue thread ${job.threadId}`, () => queueThread(index, job));
}

/** Part of the caller's transaction. */
export function queueThread(index: ThreadIndex, job: Want): void {
  const { threadId, replaces, notBefore, nowMs } = job;
  const full = job.for ?? fullForLease(index, job)?.full ?? [];
  const values = { threadId, replaces, notBefore, nowMs, queuedFor: JSON.stringify(full) };
  const { changes } = index.sql(WANT).run(values);
  if (changes !== 1) throw refused(toQueue(getThread(index, threadId), job), threadId);
}

export function unwantThread(index: ThreadIndex, threadId: string, nowMs: number): void {
  index.transaction(`take thread ${threadId} out of the queue`, () => {
    index.sql(UNWANT).run({ threadId, nowMs });
  });
}

export function queuedThreads(index: ThreadIndex): QueuedThread[] {
  return index.read("read the queue", () =>
    index
      .arrays(QUEUE)
      .all()
      .map(recordOf)
      .filter((thread) => thread.status === "queued"),
  );
}

type Next = Parameters<Dispatch["next"]>[0];

/** Not a transaction: what it finds is checked again when a thread takes its lease. */
export function nextThreads(index: ThreadIndex, { besides, nowMs }: Next): string[] {
  return index.read("see which threads may start", () => {
    const waiting = index.sql(WAITING).all().map(waitingOf);
    if (waiting.length === 0) return [];
    const limits = readLimits(index);
    const crowd = crowdOf(index, { nowMs, except: null, returning: "count", besides });
    const expected: LimitKey[] = expectedKeys(index, { nowMs, besides });
    const queue = waiting.filter(({ threadId }) => !besides.includes(threadId));
    return nextOf(queue, { limits, crowd, expected }, nowMs);
  });
}

/** Without what makes a record: the queue may be long, and is looked at whenever a thread rests. */
function waitingOf(row: NamedRow): Waiting {
  const { queuedFor, notBefore } = row;
  const keys = queuedFor === "[]" ? [] : limitKeys(JSON.parse(textOf(row, "queuedFor")));
  return {
    threadId: textOf(row, "threadId"),
    workflow: textOf(row, "workflow"),
    queue: { for: keys ?? [], notBefore: typeof notBefore === "number" ? notBefore : null },
  };
}

const WANT = `
  UPDATE threads SET
    status = 'queued', queuedAt = coalesce(queuedAt, :nowMs), queuedFor = :queuedFor,
    notBefore = :notBefore, updatedAt = :nowMs, ${NO_LEASE}
  WHERE threadId = :threadId AND (
    status IN ('idle', 'queued', 'paused')
    OR status = 'running' AND (leaseExpiresAt <= :nowMs OR fence = :replaces))`;

const UNWANT = `
  UPDATE threads SET status = 'idle', ${NOT_QUEUED}, updatedAt = :nowMs
  WHERE threadId = :threadId AND status = 'queued'`;

const IN_ORDER = `WHERE queuedAt IS NOT NULL
  ORDER BY priority DESC, depth DESC, createdAt, threadId`;
const QUEUE = `SELECT ${RECORD_COLUMNS} FROM threads ${IN_ORDER}`;
const WAITING = `SELECT threadId, workflow, queuedFor, notBefore FROM threads ${IN_ORDER}`;
