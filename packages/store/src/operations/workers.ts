/** The workers of a root, and what a thread's worker may take. */
import { WORKER_GONE_MS, type Workers } from "@uncaged/workflow-protocol";
import { NO_WORKER, RUNNER, type Serving } from "../threads/placement.ts";
import {
  all,
  change,
  changing,
  type Deed,
  type Operation,
  one,
  owning,
  reading,
  timed,
} from "./operation.ts";
import { integerOf, type NamedRow, textOf } from "./thread-columns.ts";
import { servesOf, workerOf } from "./worker-rows.ts";

type Beat = Parameters<Workers["beat"]>[0];

/** Two workers never change the same row; which of them forgets a third does not matter. */
export function beatOfWorker(beat: Beat): Deed<boolean> {
  const { worker, process, host, pools, labels, atOnce, version } = beat;
  return owning(`say that worker ${worker} is there`, function* () {
    const { nowMs } = yield* timed(beat);
    const row = yield* one(BEAT, {
      ...{ worker, host, atOnce, version, nowMs, pid: process.pid, bootId: process.bootId },
      processSince: process.startedAt,
      pools: JSON.stringify(pools),
      labels: JSON.stringify(labels),
    });
    yield* change(FORGET, { before: nowMs - WORKER_GONE_MS });
    return row !== undefined && row.drainingAt !== null;
  });
}

export function listWorkers(askedMs: number): Deed<Awaited<ReturnType<Workers["list"]>>> {
  return reading("list the workers", function* () {
    const { nowMs } = yield* timed({ nowMs: askedMs });
    const threads = new Map<unknown, string[]>();
    for (const row of yield* all(OWNED_BY)) {
      const { leaseWorker } = row;
      threads.set(leaseWorker, [...(threads.get(leaseWorker) ?? []), textOf(row, "threadId")]);
    }
    const rows = yield* all(LIST);
    return rows.map((row) => workerOf(row, { nowMs, threads: threads.get(row.worker) ?? [] }));
  });
}

export function drainWorker(request: Parameters<Workers["drain"]>[0]): Deed<boolean> {
  const { worker } = request;
  return changing(`drain worker ${worker}`, function* () {
    const { nowMs } = yield* timed(request);
    return (yield* change(DRAIN, { worker, nowMs })) === 1;
  });
}

export function removeWorker(worker: string): Deed<void> {
  return changing(`remove worker ${worker}`, function* () {
    yield* change("DELETE FROM workers WHERE worker = :worker", { worker });
  });
}

/** What whoever asks for a thread's lease serves. `worker` as in `ThreadStore.acquire`; null: it may take any. Part of the
 *  caller's transaction. */
export function* servingOf(
  worker: string | null | undefined,
  at: { except: string; nowMs: number },
): Operation<Serving | null> {
  if (worker === undefined) return null;
  if (worker === null) return RUNNER;
  const row = yield* one("SELECT * FROM workers WHERE worker = :worker", { worker });
  if (row === undefined) return NO_WORKER;
  const isFull = row.drainingAt !== null || (yield* isCrowded(row, { ...at, too: "returning" }));
  return { ...servesOf(row), isFull };
}

/** Whether the worker that runs the thread has no room for it beside its others. */
export function* isBesideOthers(
  worker: unknown,
  at: { except: string; nowMs: number },
): Operation<boolean> {
  if (typeof worker !== "string") return false;
  const row = yield* one("SELECT * FROM workers WHERE worker = :worker", { worker });
  return row !== undefined && (yield* isCrowded(row, { ...at, too: "held" }));
}

/** `too`: whether threads that want their room back count. */
function* isCrowded(
  row: NamedRow,
  at: { except: string; nowMs: number; too: "held" | "returning" },
): Operation<boolean> {
  const { atOnce } = row;
  if (typeof atOnce !== "number") return false;
  const counted = yield* one(COUNT, { worker: textOf(row, "worker"), ...at });
  return counted !== undefined && integerOf(counted, "threads") >= atOnce;
}

/** How many more threads this worker may start; null: any number. `besides`: those on their way. */
export function* roomOfWorker(
  worker: string,
  { besides, nowMs }: { besides: readonly string[]; nowMs: number },
): Operation<number | null> {
  const row = yield* one(FREE, { worker, nowMs, besides: JSON.stringify(besides) });
  const { atOnce = 0, threads } = row ?? {};
  return atOnce === null ? null : Number(atOnce) - Number(threads ?? 0) - besides.length;
}

const BEAT = `
  INSERT INTO workers VALUES (:worker, :pid, :processSince, :bootId, :host, :pools, :labels, :atOnce,
    :version, :nowMs, :nowMs, NULL)
  ON CONFLICT (worker) DO UPDATE SET seenAt = :nowMs
  RETURNING drainingAt`;

const FORGET = "DELETE FROM workers WHERE seenAt < :before";

const DRAIN = `
  UPDATE workers SET drainingAt = coalesce(drainingAt, :nowMs) WHERE worker = :worker`;

const LIST = "SELECT * FROM workers ORDER BY startedAt, worker";

const OWNED_BY = `
  SELECT leaseWorker, threadId FROM threads
  WHERE leasePid IS NOT NULL AND leaseWorker IS NOT NULL ORDER BY createdAt, threadId`;

const WITH_ROOM = "leasePid IS NOT NULL AND leaseExpiresAt > :nowMs AND leaseWorker = :worker";

const COUNT = `
  SELECT count(*) AS threads FROM threads
  WHERE ${WITH_ROOM} AND room IN ('held', :too) AND threadId <> :except`;

const FREE = `
  SELECT atOnce, (
    SELECT count(*) FROM threads
    WHERE ${WITH_ROOM} AND room IN ('held', 'returning')
      AND threadId NOT IN (SELECT value FROM json_each(:besides))) AS threads
  FROM workers WHERE worker = :worker`;

/** For the FROM and WHERE of a statement about threads: only those that a worker may take. */
export const FOR_WORKER = `
  JOIN workers ON worker = :worker AND drainingAt IS NULL
    AND pool IN (SELECT value FROM json_each(workers.pools))
    AND NOT EXISTS (
      SELECT 1 FROM json_each(needs) WHERE value NOT IN (SELECT value FROM json_each(workers.labels)))`;
