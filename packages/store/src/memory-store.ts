/** The same port without a disk, for tests. It decides with `refusals.ts` alone, so it is also what
 *  the conditions of the SQL are held against. */
import {
  type Failure,
  isFinal,
  type NewThread,
  raisedLimits,
  type SignalKind,
  type Suspension,
  type ThreadRecord,
  type ThreadStore,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import {
  acquireRefusal,
  answerRefusal,
  existsAlready,
  moveRefusal,
  notFound,
  raiseRefusal,
  removeRefusal,
  tenureRefusal,
} from "./refusals.ts";

/** `fence` outlives the leases that it counted. */
type Entry = { record: ThreadRecord; fence: number; startKey: string | null };

export function memoryThreadStore(): ThreadStore {
  const entries = new Map<string, Entry>();
  const record = (threadId: string): ThreadRecord | null => entries.get(threadId)?.record ?? null;
  const change = (threadId: string, refusal: Failure | null, changes: Partial<Entry["record"]>) => {
    if (refusal !== null) throw new WorkflowError(refusal);
    const entry = known(entries, threadId);
    entry.record = { ...entry.record, ...changes };
    return entry;
  };

  return {
    async create(thread, startKey) {
      const earlier = [...entries.values()].find((entry) => entry.startKey === startKey);
      if (startKey !== null && earlier !== undefined) {
        return { thread: earlier.record, created: false };
      }
      if (entries.has(thread.threadId)) throw new WorkflowError(existsAlready(thread.threadId));
      entries.set(thread.threadId, { record: freshRecord(thread), fence: 0, startKey });
      return { thread: freshRecord(thread), created: true };
    },
    async adopt(threads) {
      const taken = threads.find(
        ({ threadId }, at) =>
          entries.has(threadId) ||
          threads.slice(0, at).some((other) => other.threadId === threadId),
      );
      if (taken !== undefined) throw new WorkflowError(existsAlready(taken.threadId));
      for (const thread of threads) {
        const adopted = { ...freshRecord(thread), ...thread };
        entries.set(thread.threadId, { record: adopted, fence: 0, startKey: null });
      }
    },
    get: async (threadId) => record(threadId),
    async match(part, limit) {
      const wanted = part.toUpperCase();
      if (wanted === "") return [];
      return [...entries.keys()]
        .filter((id) => id.startsWith(wanted) || id.endsWith(wanted))
        .sort()
        .slice(0, limit);
    },
    async list({ workflow, withLease, suspended, parentThread, limit }) {
      return [...entries.values()]
        .map((entry) => entry.record)
        .filter((thread) => workflow === undefined || thread.workflow === workflow)
        .filter((thread) => parentThread === undefined || thread.parentThread === parentThread)
        .filter((thread) => !withLease || thread.lease !== null)
        .filter((thread) => !suspended || thread.suspended !== null)
        .sort(newestFirst)
        .slice(0, limit);
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
      const thread = record(threadId);
      const entry = change(threadId, acquireRefusal(thread, request), {
        status: "running",
        suspended: null,
        signals: without(thread?.signals ?? [], "stop"),
        updatedAt: nowMs,
      });
      entry.fence += 1;
      const times = { acquiredAt: nowMs, heartbeatAt: nowMs, expiresAt: nowMs + ttlMs };
      const lease = { threadId, fence: entry.fence, process, ...times };
      entry.record = { ...entry.record, lease };
      return lease;
    },
    async renew(request) {
      const { threadId, ttlMs, nowMs } = request;
      const thread = record(threadId);
      const lease = thread?.lease ?? null;
      const entry = change(threadId, tenureRefusal(thread, request), {
        lease: lease && { ...lease, heartbeatAt: nowMs, expiresAt: nowMs + ttlMs },
      });
      return entry.record.signals;
    },
    signals: async (threadId) => record(threadId)?.signals ?? [],
    async advance(move) {
      const refusal = moveRefusal(record(move.threadId), move);
      const old = record(move.threadId);
      const replaced =
        move.replaces === true && old !== null
          ? { head: old.head, headSha256: old.headSha256 }
          : null;
      const { bundleHash } = move;
      const kept = { answer: old?.answer ?? null, nextPrompt: old?.nextPrompt ?? null };
      const upgraded = bundleHash === undefined ? {} : { bundleHash, ...kept };
      const changes = { ...moved(move), replaced, ...upgraded };
      return change(move.threadId, refusal, changes).record.signals;
    },
    async finish(finish) {
      const { threadId, status, returnCode, summary } = finish;
      const refusal = moveRefusal(record(threadId), finish);
      if (refusal === null) finish.record?.();
      const ended = { status, returnCode, summary, lease: null, signals: [] };
      change(threadId, refusal, { ...moved(finish), ...ended });
    },
    async release(request) {
      const { threadId, nowMs, to } = request;
      const thread = record(threadId);
      const refusal = tenureRefusal(thread, request);
      const open = !thread?.signals.includes("pause");
      if (refusal === null && to.status === "paused" && open) return false;
      const suspended = to.status === "suspended" ? suspension(to) : null;
      change(threadId, refusal, { status: to.status, suspended, lease: null, updatedAt: nowMs });
      return true;
    },
    async signal(threadId, kind) {
      const { status, signals } = known(entries, threadId).record;
      if (!isFinal(status)) change(threadId, null, { signals: including(signals, kind) });
    },
    async clearSignal(threadId, kind) {
      const { signals } = known(entries, threadId).record;
      change(threadId, null, { signals: without(signals, kind) });
    },
    async answer({ threadId, text, nowMs }) {
      const thread = record(threadId);
      const role = thread?.suspended?.role ?? "";
      const changes = {
        status: "idle",
        suspended: null,
        answer: { role, text },
        updatedAt: nowMs,
      } as const;
      change(threadId, answerRefusal(thread, threadId), changes);
    },
    async raise({ threadId, limits, nowMs }) {
      const thread = record(threadId);
      const waits = thread?.suspended?.kind === "limit";
      change(threadId, raiseRefusal(thread, threadId), {
        limits: raisedLimits(thread?.limits ?? null, limits),
        updatedAt: nowMs,
        ...(waits ? { status: "idle", suspended: null } : {}),
      });
    },
    async remove(threadId, replaces) {
      change(threadId, removeRefusal(record(threadId), { threadId, replaces }), {});
      entries.delete(threadId);
    },
    exclusively: async (section) => section(),
    close: async () => {},
  };
}

function known(entries: ReadonlyMap<string, Entry>, threadId: string): Entry {
  const entry = entries.get(threadId);
  if (entry === undefined) throw new WorkflowError(notFound(threadId));
  return entry;
}

function freshRecord(thread: NewThread): ThreadRecord {
  return {
    ...thread,
    status: "idle",
    returnCode: null,
    summary: null,
    suspended: null,
    answer: null,
    limits: thread.limits ?? null,
    agent: thread.agent ?? null,
    nextPrompt: thread.nextPrompt ?? null,
    replaced: null,
    updatedAt: thread.createdAt,
    lease: null,
    signals: [],
  };
}

function moved(move: { to: string; toSha256: string; stepCount: number; nowMs: number }) {
  return {
    head: move.to,
    headSha256: move.toSha256,
    stepCount: move.stepCount,
    answer: null,
    nextPrompt: null,
    replaced: null,
    updatedAt: move.nowMs,
  };
}

function newestFirst(a: ThreadRecord, b: ThreadRecord): number {
  return b.createdAt - a.createdAt || (a.threadId < b.threadId ? 1 : -1);
}

function suspension({ role, message, kind, limit }: Suspension): Suspension {
  return {
    role,
    message,
    ...(kind === undefined ? {} : { kind }),
    ...(limit === undefined ? {} : { limit }),
  };
}

const ORDER: readonly SignalKind[] = ["pause", "stop", "kill"];

function including(signals: readonly SignalKind[], added: SignalKind): SignalKind[] {
  return ORDER.filter((kind) => kind === added || signals.includes(kind));
}

function without(signals: readonly SignalKind[], cleared: SignalKind): SignalKind[] {
  return signals.filter((kind) => kind !== cleared);
}
