/** The port in memory, for tests. It decides with `refusals.ts` and changes with `thread-changes.ts` only, so the
 *  conditions of the SQL are tested against it. */
import {
  type Ask,
  type Dispatch,
  type HistoryLine,
  isFinished,
  type Lease,
  leaseOf,
  type SignalKind,
  type Spent,
  type SpentBy,
  type SpentSum,
  sumUsage,
  type ThreadRecord,
  type ThreadStore,
  type Usage,
  unwrap,
  type Workers,
  WorkflowError,
  waitsOf,
} from "@uncaged/workflow-protocol";
import { endedLine } from "./ended-line.ts";
import { memoryAsks } from "./memory-asks.ts";
import { memoryRoom, type Room } from "./memory-dispatch.ts";
import { memoryNotices } from "./memory-notices.ts";
import { noticeOfWait, noticesOf } from "./notices.ts";
import {
  askTaken,
  existsAlready,
  isPublished,
  notFound,
  toAcquire,
  toAnswer,
  toAnswerInPerson,
  toMove,
  toRaise,
  toRemove,
  toWrite,
} from "./refusals.ts";
import { limitReached } from "./room.ts";
import { inOrder, spentKey } from "./spending.ts";
import {
  acquiredThread,
  adoptedThread,
  answeredInPerson,
  answeredThread,
  changedLabels,
  finishedThread,
  movedThread,
  newThread,
  parkedThread,
  raisedThread,
  withoutSignal,
  withSignal,
} from "./thread-changes.ts";
import { searchable, searchedFor } from "./thread-words.ts";

const NOBODY = { record: null, fence: 0 };

/** `fence` outlives the lease it was counted for. */
type Entry = {
  record: ThreadRecord;
  words: string;
  fence: number;
  startKey: string | null;
} & Room;

const NO_ROOM: Room = { room: null, expects: [], worker: null };

export function memoryThreadStore(): ThreadStore {
  return memoryIndex().threads;
}

/** The threads and their queue. */
export function memoryIndex(): { threads: ThreadStore; dispatch: Dispatch; workers: Workers } {
  const entries = new Map<string, Entry>();
  const ended = new Map<string, HistoryLine>();
  const removedAt = new Map<string, number>();
  const record = (threadId: string): ThreadRecord | null => entries.get(threadId)?.record ?? null;
  const startedWith = (startKey: string): ThreadRecord | null =>
    [...entries.values()].find((entry) => entry.startKey === startKey)?.record ?? null;
  const put = <Changed extends ThreadRecord>(changed: Changed): Changed => {
    known(entries, changed.threadId).record = changed;
    return changed;
  };
  const { record: note, ...notices } = memoryNotices();
  const asks = memoryAsks();
  const ownerOf = (thread: ThreadRecord | null): Lease | null =>
    thread === null ? null : leaseOf(thread);
  const mayAnswer = ({ threadId, fence, wait }: Ask): boolean => {
    const thread = record(threadId);
    if (wait.permission === true) return ownerOf(thread)?.fence === fence;
    return thread !== null && !isFinished(thread) && thread.status !== "suspended";
  };
  const booked: { key: Record<SpentBy, string>; usage: Usage }[] = [];
  const book = (
    { workflow }: ThreadRecord,
    { spent = null, nowMs }: { spent?: Spent | null; nowMs: number },
  ): void => {
    if (spent === null) return;
    booked.push({ key: { ...spentKey(spent, nowMs), workflow }, usage: spent.usage });
    queue.book(spent, nowMs);
  };
  const queue = memoryRoom({
    all: () => entries.values(),
    entry: (threadId) => entries.get(threadId) ?? null,
  });

  const threads: ThreadStore = {
    async create(thread, startKey) {
      const earlier = startKey === null ? null : startedWith(startKey);
      if (earlier !== null) return { thread: earlier, created: false };
      if (entries.has(thread.threadId)) throw new WorkflowError(existsAlready(thread.threadId));
      const made = newThread(thread);
      const words = searchable(made.title, thread.prompt ?? null);
      entries.set(thread.threadId, { record: made, words, fence: 0, startKey, ...NO_ROOM });
      return { thread: made, created: true };
    },
    async adopt(threads) {
      const taken = threads.find(
        ({ threadId }, at) =>
          entries.has(threadId) ||
          threads.slice(0, at).some((other) => other.threadId === threadId),
      );
      if (taken !== undefined) throw new WorkflowError(existsAlready(taken.threadId));
      for (const thread of threads) {
        const words = searchable(thread.title, thread.prompt ?? null);
        const record = adoptedThread(thread);
        entries.set(thread.threadId, { record, words, fence: 0, startKey: null, ...NO_ROOM });
      }
    },
    get: async (threadId) => record(threadId),
    startedWith: async (startKey) => startedWith(startKey),
    async match(part, limit) {
      const wanted = part.toUpperCase();
      if (wanted === "") return [];
      return [...entries.keys()]
        .filter((id) => id.startsWith(wanted) || id.endsWith(wanted))
        .sort()
        .slice(0, limit);
    },
    async list(filter) {
      const { workflow, withLease, suspended, asking, unfinished, ended } = filter;
      const { parentThread, sinceMs, text, labels, after, limit } = filter;
      const wanted = searchedFor(text ?? "");
      return [...entries.values()]
        .filter(({ words }) => wanted.every((word) => words.includes(word)))
        .map((entry) => entry.record)
        .filter((thread) => workflow === undefined || thread.workflow === workflow)
        .filter((thread) => parentThread === undefined || thread.parentThread === parentThread)
        .filter((thread) => sinceMs === undefined || thread.createdAt >= sinceMs)
        .filter((thread) => after === undefined || isBehind(thread, after))
        .filter((thread) => !withLease || leaseOf(thread) !== null)
        .filter((thread) => !suspended || thread.status === "suspended")
        .filter((thread) => !unfinished || !isFinished(thread))
        .filter((thread) => ended === undefined || thread.status === ended)
        .filter((thread) => !asking || asks.isAsked(thread.threadId))
        .filter((thread) => hasLabels(thread, labels ?? {}))
        .sort(newestFirst)
        .slice(0, limit);
    },
    async spent({ by, sinceDay = "" }) {
      const sums = new Map<string, SpentSum>();
      for (const { key, usage } of booked) {
        if (key.day < sinceDay) continue;
        const sum = sums.get(key[by]);
        const runs = (sum?.runs ?? 0) + 1;
        const all = sumUsage(sum?.usage ?? null, usage) ?? usage;
        sums.set(key[by], { key: key[by] || null, runs, usage: all });
      }
      return inOrder(by, [...sums.values()]);
    },
    async roots() {
      return [...entries.values()].map(({ record: { threadId, startHash, head, headSha256 } }) => ({
        threadId,
        startHash,
        head,
        headSha256,
      }));
    },
    async acquire(request) {
      const { threadId, process, ttlMs, nowMs } = request;
      const thread = unwrap(toAcquire(record(threadId), request));
      const { full, againAt } = queue.fullFor(thread, request);
      if (request.room !== undefined && full.length > 0) {
        const { room, replaces } = request;
        if (room === "or queue" && thread.status !== "suspended")
          queue.want(thread, { threadId, replaces, for: full, notBefore: againAt, nowMs });
        throw new WorkflowError(limitReached(threadId, full));
      }
      const entry = known(entries, threadId);
      entry.fence += 1;
      entry.room = request.room === undefined ? null : "held";
      entry.worker = request.room === undefined ? null : (request.worker ?? null);
      if (entry.room === null) entry.expects = [];
      const times = { acquiredAt: nowMs, heartbeatAt: nowMs, expiresAt: nowMs + ttlMs };
      if (request.room !== undefined) asks.keep({ threadId, fence: entry.fence }, waitsOf(thread));
      return put(acquiredThread(thread, { threadId, fence: entry.fence, process, ...times })).lease;
    },
    async renew({ leases, ttlMs, nowMs }) {
      return leases.map((owner) => {
        const owned = toWrite(record(owner.threadId), owner);
        if (!owned.ok) return "lost";
        const lease = { ...owned.value.lease, heartbeatAt: nowMs, expiresAt: nowMs + ttlMs };
        return put({ ...owned.value, lease }).signals;
      });
    },
    signals: async (threadIds) => threadIds.map((threadId) => signalsOf(record(threadId))),
    async advance(move) {
      const thread = record(move.threadId);
      if (move.kind === "answer")
        return put(answeredInPerson(unwrap(toAnswerInPerson(thread, move)), move)).signals;
      const before = toMove(thread, move);
      if (!before.ok && isPublished(thread, move)) return thread.signals;
      const moved = put(movedThread(unwrap(before), move));
      if ("spent" in move) book(moved, move);
      return moved.signals;
    },
    async finish(move) {
      const { record: found, fence } = entries.get(move.threadId) ?? NOBODY;
      if (found?.head === move.to && found.status === move.status && fence === move.fence) return;
      const thread = unwrap(toMove(found, move));
      book(thread, move);
      asks.forget(move.threadId);
      const finished = put(finishedThread(thread, move));
      note(noticesOf(finished));
      const line = endedLine(finished);
      Object.assign(known(entries, move.threadId), NO_ROOM);
      const before = ended.get(move.threadId)?.finishedAt ?? 0;
      if (line.finishedAt >= before) ended.set(move.threadId, line);
    },
    async release(request) {
      const thread = unwrap(toWrite(record(request.threadId), request));
      if (request.to.status === "paused" && !thread.signals.includes("pause")) return false;
      const { to } = request;
      if (to.status === "suspended" && !asks.handOver(request.threadId, to.waits)) return false;
      note(noticesOf(put(parkedThread(thread, request))));
      const expects = request.to.status === "queued" ? request.to.queue.for : [];
      Object.assign(known(entries, request.threadId), { room: null, expects, worker: null });
      return true;
    },
    async signal(threadId, kind) {
      const { record: thread } = known(entries, threadId);
      if (!isFinished(thread)) put({ ...thread, signals: withSignal(thread.signals, kind) });
    },
    async clearSignal(threadId, kind) {
      const { record: thread } = known(entries, threadId);
      if (!isFinished(thread)) put({ ...thread, signals: withoutSignal(thread.signals, kind) });
    },
    async answer(answer) {
      put(answeredThread(unwrap(toAnswer(record(answer.threadId), answer.threadId)), answer));
    },
    async raise(raise) {
      put(raisedThread(unwrap(toRaise(record(raise.threadId), raise.threadId)), raise));
    },
    async label({ threadId, set, unset }) {
      const { record } = known(entries, threadId);
      return put({ ...record, labels: changedLabels(record.labels, { set, unset }) }).labels;
    },
    async ask(request) {
      const thread = unwrap(toWrite(record(request.threadId), request));
      asks.ask(request);
      note([noticeOfWait(thread, request.wait, request.wait.since)]);
    },
    async askMembers(request) {
      const thread = unwrap(toWrite(record(request.threadId), request));
      asks.askMembers(request);
      note(request.waits.map((wait) => noticeOfWait(thread, wait, wait.since)));
    },
    askedMembers: async ({ threadId, answered }) =>
      asks.members(threadId).filter(({ answer }) => !answered || answer !== null),
    closeAsks: async (request) => asks.close(request),
    asks: async ({ threadId }) =>
      asks.open((ask) => mayAnswer(ask) && (threadId === undefined || threadId === ask.threadId)),
    async answerAsk(request) {
      if (!mayAnswer(request) || !asks.answer(request))
        throw new WorkflowError(askTaken(request.threadId));
    },
    askAnswer: async (request) => asks.answerTo(request),
    withdrawAsk: async (request) => asks.withdraw(request),
    ...notices,
    async remove(request) {
      unwrap(toRemove(record(request.threadId), request));
      entries.delete(request.threadId);
      asks.forget(request.threadId);
      queue.forget(request.threadId);
      const before = removedAt.get(request.threadId) ?? 0;
      removedAt.set(request.threadId, Math.max(before, request.nowMs));
    },
    async history() {
      const notRemoved = [...ended.values()].filter(
        ({ threadId, finishedAt }) => finishedAt > (removedAt.get(threadId) ?? -1),
      );
      return { ended: notRemoved, lastRemovalAt: Math.max(0, ...removedAt.values()) };
    },
    async forget({ endedBefore }) {
      const gone = [...removedAt].filter(([threadId, at]) => {
        const endedAt = ended.get(threadId)?.finishedAt ?? at;
        return endedAt <= at && endedAt < endedBefore;
      });
      for (const [threadId] of gone) ended.delete(threadId);
      return gone.length;
    },
    close: async () => {},
  };
  return { threads, dispatch: queue.dispatch, workers: queue.workers };
}

function known(entries: ReadonlyMap<string, Entry>, threadId: string): Entry {
  const entry = entries.get(threadId);
  if (entry === undefined) throw new WorkflowError(notFound(threadId));
  return entry;
}

function signalsOf(thread: ThreadRecord | null): readonly SignalKind[] {
  return thread === null || isFinished(thread) ? [] : thread.signals;
}

function hasLabels(
  { labels }: ThreadRecord,
  wanted: { readonly [key: string]: string | null },
): boolean {
  return Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(labels, key) && (value === null || labels[key] === value),
  );
}

/** In a list, newest first. */
function isBehind(thread: Place, after: Place): boolean {
  if (thread.createdAt !== after.createdAt) return thread.createdAt < after.createdAt;
  return thread.threadId < after.threadId;
}

type Place = Pick<ThreadRecord, "createdAt" | "threadId">;

function newestFirst(a: ThreadRecord, b: ThreadRecord): number {
  return b.createdAt - a.createdAt || (a.threadId < b.threadId ? 1 : -1);
}
