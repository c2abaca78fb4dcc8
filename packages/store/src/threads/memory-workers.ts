/** The workers in memory: the same answers as the SQL, from the same rules. */
import {
  leaseOf,
  type QueuedThread,
  type ThreadRecord,
  WORKER_GONE_MS,
  WORKER_STALE_MS,
  type WorkerRecord,
  type Workers,
} from "@uncaged/workflow-protocol";
import { missingFor, NO_WORKER, RUNNER, type Serving } from "./placement.ts";

type Owned = { record: ThreadRecord; room: string | null; worker: string | null };
type At = { except: string; nowMs: number };

export type MemoryWorkers = {
  workers: Workers;
  /** null: any thread. */
  serving: (worker: string | null | undefined, at: At) => Serving | null;
  /** Whether the worker of a thread has no room for it beside its others. */
  isBeside: (threadId: string, nowMs: number) => boolean;
  mayTake: (
    worker: string | undefined,
    at: { besides: readonly string[]; nowMs: number },
  ) => { may: (thread: QueuedThread) => boolean; room: number };
};

export function memoryWorkers(all: () => Iterable<Owned>): MemoryWorkers {
  const rows = new Map<string, Omit<WorkerRecord, "stale" | "threads">>();
  const count = (worker: string, nowMs: number, which: (owned: Owned) => boolean): number =>
    [...all()].filter(
      (owned) =>
        owned.worker === worker && (leaseOf(owned.record)?.expiresAt ?? 0) > nowMs && which(owned),
    ).length;
  const roomIn = ({ atOnce }: { atOnce: number | null }): number =>
    atOnce ?? Number.POSITIVE_INFINITY;
  const hasRoom = ({ room }: Owned): boolean => room === "held" || room === "returning";
  const serving: MemoryWorkers["serving"] = (worker, { except, nowMs }) => {
    if (worker === undefined) return null;
    if (worker === null) return RUNNER;
    const row = rows.get(worker);
    if (row === undefined) return NO_WORKER;
    const threads = count(
      worker,
      nowMs,
      (owned) => hasRoom(owned) && owned.record.threadId !== except,
    );
    return { ...row, isFull: row.drainingAt !== null || threads >= roomIn(row) };
  };
  return {
    serving,
    isBeside: (threadId, nowMs) => {
      const { worker } = [...all()].find(({ record }) => record.threadId === threadId) ?? {};
      const row = rows.get(worker ?? "");
      if (row === undefined) return false;
      const held = ({ room, record }: Owned): boolean =>
        room === "held" && record.threadId !== threadId;
      return count(row.worker, nowMs, held) >= roomIn(row);
    },
    mayTake: (worker, { besides, nowMs }) => {
      if (worker === undefined) return { may: () => true, room: Number.POSITIVE_INFINITY };
      const row = rows.get(worker);
      if (row === undefined || row.drainingAt !== null) return { may: () => false, room: 0 };
      const has = ({ record, ...owned }: Owned): boolean =>
        hasRoom({ record, ...owned }) && !besides.includes(record.threadId);
      return {
        may: (thread) => missingFor(thread, { ...row, isFull: false }).length === 0,
        room: roomIn(row) - count(worker, nowMs, has) - besides.length,
      };
    },
    workers: {
      async beat({ nowMs, ...facts }) {
        const { worker } = facts;
        const row = rows.get(worker) ?? { ...facts, startedAt: nowMs, drainingAt: null, seenAt: 0 };
        rows.set(worker, { ...row, seenAt: nowMs });
        for (const { worker: each, seenAt } of [...rows.values()])
          if (seenAt < nowMs - WORKER_GONE_MS) rows.delete(each);
        return row.drainingAt !== null;
      },
      list: async (nowMs) =>
        [...rows.values()]
          .map((row) => ({
            ...row,
            stale: row.seenAt + WORKER_STALE_MS <= nowMs,
            threads: [...all()]
              .filter(({ worker, record }) => worker === row.worker && leaseOf(record) !== null)
              .map(({ record }) => record)
              .toSorted((a, b) => a.createdAt - b.createdAt)
              .map(({ threadId }) => threadId),
          }))
          .toSorted((a, b) => a.startedAt - b.startedAt || (a.worker < b.worker ? -1 : 1)),
      async drain({ worker, nowMs }) {
        const row = rows.get(worker);
        if (row === undefined) return false;
        rows.set(worker, { ...row, drainingAt: row.drainingAt ?? nowMs });
        return true;
      },
      async remove(worker) {
        rows.delete(worker);
      },
    },
  };
}
