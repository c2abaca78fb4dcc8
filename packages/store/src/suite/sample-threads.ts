import assert from "node:assert/strict";
import type {
  Lease,
  LeaseRef,
  NewThread,
  OwnerMove,
  PersonWait,
  ProcessIdentity,
  ThreadFacts,
  ThreadRecord,
  ThreadStore,
} from "@uncaged/workflow-protocol";

/** The n-th of a series of threads; a higher n is a newer thread. */
export function sampleThread(n: number, changes: Partial<NewThread> = {}): NewThread {
  return {
    threadId: sampleId(n),
    workflow: "solve-issue",
    bundleHash: "D4KP4Y6MRRVJV",
    startHash: sampleHash(0),
    head: sampleHash(0),
    headSha256: sampleSha256(0),
    stepCount: 0,
    depth: 0,
    parentThread: null,
    cwd: "/home/someone/project",
    forkedFrom: null,
    startedAt: 1_700_000_000_000 + n,
    createdAt: 1_700_000_000_000 + n,
    ...changes,
  };
}

/** What a store returns of fields that a sample leaves out. */
export const UNSET: Required<
  Pick<
    ThreadFacts,
    "limits" | "agent" | "title" | "promptLine" | "labels" | "usage" | "priority" | "pool" | "needs"
  >
> = {
  ...{ limits: null, agent: null, title: null, promptLine: null, labels: {}, usage: null },
  ...{ priority: 0, pool: "default", needs: [] },
};

export function sampleId(n: number): string {
  return `01HF${String(n).padStart(10, "0")}ABCDEFGH${String(n % 10_000).padStart(4, "0")}`;
}

export function sampleHash(n: number): string {
  return `C${String(n).padStart(12, "0")}`;
}

export function sampleSha256(n: number): string {
  return String(n).padStart(64, "0");
}

export function sampleProcess(pid: number): ProcessIdentity {
  return { pid, startedAt: `start of ${pid}`, bootId: "boot" };
}

export const TTL_MS = 1_000;

/** Creates the n-th thread and takes its lease, as process 100 at time 0. */
export async function ownedThread(store: ThreadStore, n: number): Promise<Lease> {
  const { thread } = await store.create(sampleThread(n), null);
  return acquireAt(store, thread.threadId, { pid: 100, nowMs: 0, replaces: null });
}

/** The same thread, now waiting for the answer to a question. */
export async function suspendedThread(store: ThreadStore, n: number): Promise<Lease> {
  const lease = await ownedThread(store, n);
  const question = { role: "planner", message: "Which one?" };
  await store.release({ ...lease, nowMs: 1, to: { status: "suspended", waits: [question] } });
  return lease;
}

/** What a thread that asks a person to approve waits for. */
export function samplePersonWait(changes: Partial<PersonWait> = {}): PersonWait {
  return {
    kind: "person",
    role: "approver",
    message: "Is \0 it good?\n",
    form: { type: "object", properties: { approved: { type: "boolean" } } },
    route: {
      from: "coder",
      to: "approver",
      condition: "done",
      rule: 0,
      prompt: "Is \0 it good?\n",
    },
    since: 1,
    deadline: null,
    assignees: ["alice"],
    ...changes,
  };
}

/** A thread that must exist. */
export async function known(store: ThreadStore, threadId: string): Promise<ThreadRecord> {
  const thread = await store.get(threadId);
  assert.ok(thread !== null, `there is no thread ${threadId}`);
  return thread;
}

export function acquireAt(
  store: ThreadStore,
  threadId: string,
  by: { pid: number; nowMs: number; replaces: number | null },
): Promise<Lease> {
  const { pid, nowMs, replaces } = by;
  return store.acquire({ threadId, process: sampleProcess(pid), ttlMs: TTL_MS, nowMs, replaces });
}

/** The move that publishes step `n`, after step n − 1. */
export function sampleMove(
  { threadId, fence }: LeaseRef,
  n: number,
): Extract<OwnerMove, { kind: "append" }> {
  return {
    kind: "append",
    threadId,
    fence,
    from: sampleHash(n - 1),
    to: sampleHash(n),
    toSha256: sampleSha256(n),
    nowMs: n,
  };
}
