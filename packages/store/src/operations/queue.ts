/** Which threads wait for room, and whose turn it is. */
import type { Dispatch, LimitKey, QueuedThread } from "@uncaged/workflow-protocol";
import { toQueue } from "../threads/refusals.ts";
import { nextOf, type Waiting } from "../threads/room.ts";
import { crowdOf, expectedKeys } from "./crowd.ts";
import { NO_LEASE } from "./lease-columns.ts";
import { readLimits } from "./limits.ts";
import {
  all,
  allWide,
  change,
  changing,
  type Deed,
  type Operation,
  reading,
  timed,
} from "./operation.ts";
import { limitKeys, NOT_QUEUED } from "./queue-places.ts";
import { refused } from "./refused.ts";
import { fullForLease } from "./room.ts";
import { type NamedRow, RECORD_COLUMNS, textOf } from "./thread-columns.ts";
import { getThread } from "./thread-queries.ts";
import { recordOf } from "./thread-rows.ts";
import { FOR_WORKER, roomOfWorker } from "./workers.ts";

type Want = Parameters<Dispatch["want"]>[0];

export function wantThread(job: Want): Deed<void> {
  return changing(`queue thread ${job.threadId}`, function* () {
    yield* queueThread(yield* timed(job));
  });
}

/** Part of the caller's transaction. */
export function* queueThread(job: Want): Operation<void> {
  const { threadId, replaces, notBefore, nowMs } = job;
  const full = job.for ?? (yield* fullForLease(job))?.full ?? [];
  const values = { threadId, replaces, notBefore, nowMs, queuedFor: JSON.stringify(full) };
  const changes = yield* change(WANT, values);
  if (changes !== 1) throw refused(toQueue(yield* getThread(threadId), job), threadId);
}

export function unwantThread(threadId: string, nowMs: number): Deed<void> {
  return changing(`take thread ${threadId} out of the queue`, function* () {
    yield* change(UNWANT, { threadId, nowMs });
  });
}

export function queuedThreads(): Deed<QueuedThread[]> {
  return reading("read the queue", function* () {
    return (yield* allWide(QUEUE)).map(recordOf).filter((thread) => thread.status === "queued");
  });
}

type Next = Parameters<Dispatch["next"]>[0];

/** Not a transaction: what it finds is checked again when a thread takes its lease. */
export function nextThreads(request: Next): Deed<string[]> {
  return reading("see which threads may start", function* () {
    const { besides, nowMs, worker, except = [] } = yield* timed(request);
    const rows = worker === undefined ? yield* all(WAITING) : yield* all(WAITING_FOR, { worker });
    const waiting = rows.map(waitingOf);
    if (waiting.length === 0) return [];
    const room = worker === undefined ? null : yield* roomOfWorker(worker, { besides, nowMs });
    const limits = yield* readLimits();
    const queue = waiting.filter(
      ({ threadId }) => !besides.includes(threadId) && !except.includes(threadId),
    );
    const counting = { nowMs, except: null, returning: "count", besides } as const;
    const crowd = yield* crowdOf(counting, {
      limits,
      keys: queue.flatMap((each) => each.queue.for),
    });
    const expected: LimitKey[] = yield* expectedKeys({ nowMs, besides });
    const next = nextOf(queue, { limits, crowd, expected }, nowMs);
    return room === null ? next : next.slice(0, Math.max(0, room));
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
const WAITS = "SELECT threadId, workflow, queuedFor, notBefore FROM threads";
const WAITING = `${WAITS} ${IN_ORDER}`;
const WAITING_FOR = `${WAITS} ${FOR_WORKER} ${IN_ORDER}`;
