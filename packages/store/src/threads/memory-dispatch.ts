/** The queue of threads in memory: the same answers as the SQL, from the same rules. */
import {
  type Dispatch,
  type Hold,
  type LimitKey,
  leaseOf,
  NO_LIMITS,
  type QueuedThread,
  type RootLimits,
  type Spent,
  type ThreadRecord,
  unwrap,
  type Workers,
} from "@uncaged/workflow-protocol";
import { memorySharedBudget } from "./memory-shared-budget.ts";
import { memoryWorkers } from "./memory-workers.ts";
import { missingFor } from "./placement.ts";
import { toQueue, toWrite } from "./refusals.ts";
import {
  budgetLeft,
  type Crowd,
  callsLimited,
  fullBeside,
  fullForThread,
  isLimited,
  MINUTE_MS,
  nextOf,
  PIECE_MS,
  type Piece,
  QUARTER_MS,
  roomForAgent,
  startOf,
} from "./room.ts";
import { spentKey } from "./spending.ts";
import { queuedThread, withoutPlace } from "./thread-changes.ts";

/** What a thread has in addition to its record. */
export type Room = {
  room: "held" | "lent" | "returning" | null;
  /** What it waited for, until it takes that. */
  expects: readonly LimitKey[];
  /** Of the lease: which worker took it. */
  worker: string | null;
};

export type MemoryThreads = {
  all: () => Iterable<{ record: ThreadRecord } & Room>;
  entry: (threadId: string) => ({ record: ThreadRecord } & Room) | null;
};

type Job = Parameters<Dispatch["want"]>[0];

export type MemoryRoom = {
  dispatch: Dispatch;
  workers: Workers;
  /** Why a thread cannot take a lease with room; empty: it can. */
  fullFor: (
    thread: ThreadRecord,
    request: { nowMs: number; worker?: string | null },
  ) => ReturnType<typeof fullForThread>;
  want: (thread: ThreadRecord, job: Job) => void;
  book: (spent: Spent, nowMs: number) => void;
  /** Of a thread that is removed. */
  forget: (threadId: string) => void;
};

export function memoryRoom({ all, entry }: MemoryThreads): MemoryRoom {
  let limits: RootLimits = NO_LIMITS;
  let pausedSince: number | null = null;
  const runs = new Map<string, { agent: string; threadId: string; fence: number }>();
  const pieces: (Piece & { agent: string })[] = [];
  const held = new Map<Hold["key"], Hold>();
  const quarters: { startMs: number; tokens: number; costUsd: number }[] = [];

  const holds = (nowMs: number): Hold[] =>
    [...held.values()]
      .filter(({ untilMs }) => untilMs > nowMs)
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const isLeased = (record: ThreadRecord, nowMs: number): boolean =>
    (leaseOf(record)?.expiresAt ?? nowMs) > nowMs;
  const crowd = (
    nowMs: number,
    {
      except,
      returning,
      besides = [],
    }: {
      except: string | null;
      returning: boolean;
      besides?: readonly string[];
    },
  ): Crowd => {
    const running = new Map<string, number>();
    for (const { record, room } of all()) {
      const has = room === "held" || (returning && room === "returning");
      const counts = (has && isLeased(record, nowMs)) || besides.includes(record.threadId);
      if (!counts || record.threadId === except) continue;
      running.set(record.workflow, (running.get(record.workflow) ?? 0) + 1);
    }
    return {
      pausedSince,
      running,
      runsOf: (agent) =>
        [...runs.values()].filter((run) => {
          const record = entry(run.threadId)?.record;
          if (record === undefined || run.agent !== agent) return false;
          return leaseOf(record)?.fence === run.fence && isLeased(record, nowMs);
        }).length,
      lastMinuteOf: (agents) =>
        pieces
          .filter(
            ({ agent, startMs }) =>
              agents.includes(agent) && startMs > nowMs - MINUTE_MS - PIECE_MS,
          )
          .toSorted((a, b) => a.startMs - b.startMs),
      spentSince: (startMs) => {
        const since = quarters.filter((quarter) => quarter.startMs >= startMs);
        return {
          tokens: since.reduce((sum, { tokens }) => sum + tokens, 0),
          costUsd: since.reduce((sum, { costUsd }) => sum + costUsd, 0),
        };
      },
      holds: () => holds(nowMs),
    };
  };
  const recordOf = (threadId: string): ThreadRecord | null => entry(threadId)?.record ?? null;
  const { forget, ...sharing } = memorySharedBudget({ all, recordOf });
  const known = (threadId: string): { record: ThreadRecord } & Room => {
    const found = entry(threadId);
    if (found === null) throw new Error(`no thread ${threadId}`);
    return found;
  };
  const setRoom = (
    owner: { threadId: string; fence: number },
    to: Exclude<Room["room"], null>,
  ): ThreadRecord => {
    const thread = unwrap(toWrite(recordOf(owner.threadId), owner));
    const found = known(owner.threadId);
    if (found.room !== null) found.room = to;
    return thread;
  };
  const note = (agent: string, nowMs: number, used: Omit<Piece, "startMs">): void => {
    if (callsLimited(limits, agent))
      pieces.push({ startMs: startOf(nowMs, PIECE_MS), agent, ...used });
  };
  const { workers, serving, isBeside, mayTake } = memoryWorkers(all);
  const fullFor: MemoryRoom["fullFor"] = (thread, { nowMs, worker }) => {
    const isToEnd = "signals" in thread && thread.signals.includes("kill");
    if (isToEnd) return { ok: false, full: [], againAt: null };
    const now = crowd(nowMs, { except: thread.threadId, returning: true });
    const since = thread.status === "running" ? null : now.pausedSince;
    const { workflow } = thread;
    const found = fullForThread(limits, { ...now, pausedSince: since }, { workflow, nowMs });
    const by = serving(worker, { except: thread.threadId, nowMs });
    return { ...found, full: [...(by === null ? [] : missingFor(thread, by)), ...found.full] };
  };
  const want: MemoryRoom["want"] = (thread, job) => {
    const full = job.for ?? fullFor(thread, job).full;
    const queued = queuedThread(unwrap(toQueue(thread, job)), { ...job, for: full });
    Object.assign(known(job.threadId), {
      record: queued,
      room: null,
      expects: full,
      worker: null,
    });
  };
  const list = (): QueuedThread[] =>
    [...all()]
      .map(({ record }) => record)
      .filter((record) => record.status === "queued")
      .toSorted(byTurn);

  return {
    fullFor,
    want,
    forget,
    book: (spent, nowMs) => {
      const { agent } = spentKey(spent, nowMs);
      const { inputTokens, outputTokens, costUsd } = spent.usage;
      const tokens = inputTokens + outputTokens;
      quarters.push({ startMs: startOf(nowMs, QUARTER_MS), tokens, costUsd: costUsd ?? 0 });
      note(agent, nowMs, { requests: 0, tokens });
    },
    workers,
    dispatch: {
      async want(job) {
        const thread = unwrap(toQueue(recordOf(job.threadId), job));
        want(thread, job);
      },
      async unwant(threadId, nowMs) {
        const found = entry(threadId);
        if (found?.record.status !== "queued") return;
        Object.assign(found, { record: withoutPlace(found.record, nowMs), expects: [] });
      },
      list: async () => list(),
      async next({ besides, nowMs, worker, except = [] }) {
        const expected = [...all()].flatMap(({ record, expects }) =>
          (leaseOf(record) !== null && isLeased(record, nowMs)) || besides.includes(record.threadId)
            ? expects
            : [],
        );
        const queue = list().filter(
          ({ threadId }) => !besides.includes(threadId) && !except.includes(threadId),
        );
        const now = crowd(nowMs, { except: null, returning: true, besides });
        const { may, room } = mayTake(worker, { besides, nowMs });
        const next = nextOf(queue.filter(may), { limits, crowd: now, expected }, nowMs);
        return next.slice(0, Math.max(0, room));
      },
      async limit(all) {
        limits = all;
      },
      limits: async () => limits,
      async pause(nowMs) {
        pausedSince ??= nowMs;
      },
      async resume() {
        pausedSince = null;
        held.clear();
      },
      pausedSince: async () => pausedSince,
      async lend(owner) {
        setRoom(owner, "lent");
      },
      async takeBack({ nowMs, ...owner }) {
        const { workflow } = setRoom(owner, "returning");
        const { running } = crowd(nowMs, { except: owner.threadId, returning: false });
        if (fullBeside(limits, running, workflow).length > 0) return false;
        if (isBeside(owner.threadId, nowMs)) return false;
        setRoom(owner, "held");
        return true;
      },
      async take({ threadId, fence, part, agent, nowMs }) {
        unwrap(toWrite(recordOf(threadId), { threadId, fence }));
        known(threadId).expects = [];
        const isHeld = holds(nowMs).some(({ agents }) => agents.includes(agent));
        if (!isHeld && !isLimited(limits, agent)) return { ok: true };
        const now = crowd(nowMs, { except: null, returning: true });
        const room = roomForAgent(limits, now, { agent, nowMs });
        if (!room.ok) return room;
        runs.set(`${threadId} ${fence} ${part} ${agent}`, { agent, threadId, fence });
        note(agent, nowMs, { requests: 1, tokens: 0 });
        return room;
      },
      async free({ threadId, fence, part }) {
        for (const key of runs.keys())
          if (key.startsWith(`${threadId} ${fence} ${part} `)) runs.delete(key);
        const found = entry(threadId);
        if (found?.room === "lent" && leaseOf(found.record)?.fence === fence)
          found.room = "returning";
      },
      async hold({ key, agents, untilMs }) {
        if (untilMs > (held.get(key)?.untilMs ?? 0)) held.set(key, { key, agents, untilMs });
      },
      holds: async (nowMs) => holds(nowMs),
      budget: async (nowMs) =>
        budgetLeft(limits, crowd(nowMs, { except: null, returning: true }), nowMs),
      ...sharing,
    },
  };
}

/** By priority, then those that others wait for, then by age. */
function byTurn(a: QueuedThread, b: QueuedThread): number {
  return (
    b.priority - a.priority ||
    b.depth - a.depth ||
    a.createdAt - b.createdAt ||
    (a.threadId < b.threadId ? -1 : 1)
  );
}
