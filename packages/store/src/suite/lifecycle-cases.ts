import assert from "node:assert/strict";
import type { Lease, ThreadCopy, ThreadLimits, ThreadStore } from "@uncaged/workflow-protocol";
import { refuses } from "./refuses.ts";
import { acquireAt, ownedThread, sampleHash, sampleMove, sampleThread } from "./sample-threads.ts";
import type { ThreadStoreCase } from "./store-case.ts";

/** How threads come, go, and change while nobody owns them. */
export const lifecycleCases: readonly ThreadStoreCase[] = [
  {
    name: "makes a thread that is idle and nobody's",
    async run(store) {
      const asked = sampleThread(1, {
        parentThread: sampleThread(0).threadId,
        depth: 1,
        forkedFrom: { threadId: sampleThread(0).threadId, stateHash: sampleHash(3) },
        cwd: '/tmp/a "strange" folder\n',
      });
      const { thread, created } = await store.create(asked, null);
      assert.equal(created, true);
      assert.deepEqual(thread, {
        ...asked,
        status: "idle",
        returnCode: null,
        summary: null,
        suspended: null,
        answer: null,
        limits: null,
        agent: null,
        nextPrompt: null,
        replaced: null,
        updatedAt: asked.createdAt,
        lease: null,
        signals: [],
      });
      assert.deepEqual(await store.get(asked.threadId), thread);
    },
  },
  {
    name: "knows no thread that was not made",
    async run(store) {
      assert.equal(await store.get(sampleThread(1).threadId), null);
    },
  },
  {
    name: "gives the first thread of a start key again, whatever became of it",
    async run(store) {
      const first = await store.create(sampleThread(1), "nightly");
      const again = await store.create(sampleThread(2), "nightly");
      assert.equal(again.created, false);
      assert.deepEqual(again.thread, first.thread);
      assert.equal(await store.get(sampleThread(2).threadId), null);
      assert.equal((await store.create(sampleThread(3), "weekly")).created, true);
      assert.equal((await store.create(sampleThread(4), null)).created, true);
      assert.equal((await store.create(sampleThread(5), null)).created, true);
    },
  },
  {
    name: "forgets a start key together with its thread",
    async run(store) {
      await store.create(sampleThread(1), "nightly");
      await store.remove(sampleThread(1).threadId, null);
      assert.equal((await store.create(sampleThread(2), "nightly")).created, true);
    },
  },
  {
    name: "refuses a thread id that is taken, and keeps the thread that has it",
    async run(store) {
      await store.create(sampleThread(1), null);
      const { threadId } = sampleThread(1);
      const other = sampleThread(1, { workflow: "other" });
      await refuses(store.create(other, null), "TARGET_EXISTS", threadId);
      assert.equal((await store.get(threadId))?.workflow, "solve-issue");
    },
  },
  {
    name: "adopts threads as they stood elsewhere, word for word, and nobody owns them",
    async run(store) {
      const suspended = copyOf(1, {
        status: "suspended",
        suspended: { role: "planner", message: "which \0 one?\n" },
      });
      const answered = copyOf(2, { answer: { role: "planner", text: "the \0 second" } });
      const ended = copyOf(3, { status: "completed", returnCode: 0, summary: "all \0 done" });
      await store.adopt([suspended, answered, ended]);
      for (const copy of [suspended, answered, ended]) {
        const { threadId } = copy;
        assert.deepEqual(await store.get(threadId), {
          ...copy,
          replaced: null,
          lease: null,
          signals: [],
        });
      }
      assert.equal((await acquireAt(store, answered.threadId, ANYONE)).fence, 1);
    },
  },
  {
    name: "adopts all threads or none",
    async run(store) {
      await store.create(sampleThread(2), null);
      const { threadId } = sampleThread(2);
      await refuses(store.adopt([copyOf(1), copyOf(2)]), "TARGET_EXISTS", threadId);
      await refuses(store.adopt([copyOf(3), copyOf(3)]), "TARGET_EXISTS", copyOf(3).threadId);
      assert.deepEqual(
        (await store.list({})).map((thread) => thread.threadId),
        [threadId],
      );
    },
  },
  {
    name: "records an answer in place of the question, word for word",
    async run(store) {
      const { threadId } = await suspendedThread(store);
      await store.answer({ threadId, text: "the \0 second\n", nowMs: 9 });
      const answered = await store.get(threadId);
      assert.equal(answered?.status, "idle");
      assert.equal(answered?.suspended, null);
      assert.deepEqual(answered?.answer, { role: "planner", text: "the \0 second\n" });
      assert.equal(answered?.updatedAt, 9);
    },
  },
  {
    name: "keeps what is said to the next role, word for word, until a step is published",
    async run(store) {
      const { thread } = await store.create(sampleThread(1, { nextPrompt: "do \0 this\n" }), null);
      assert.equal(thread.nextPrompt, "do \0 this\n");
      const lease = await acquireAt(store, thread.threadId, ANYONE);
      await store.advance({ ...sampleMove(lease, 1), stepCount: 0, bundleHash: sampleHash(77) });
      assert.equal((await store.get(thread.threadId))?.nextPrompt, "do \0 this\n");
      await store.advance(sampleMove(lease, 2));
      assert.equal((await store.get(thread.threadId))?.nextPrompt, null);
    },
  },
  {
    name: "keeps an answer until a step is published",
    async run(store) {
      const { threadId } = await suspendedThread(store);
      await store.answer({ threadId, text: "yes", nowMs: 9 });
      const lease = await acquireAt(store, threadId, { pid: 1, nowMs: 10, replaces: null });
      await store.release({ ...lease, nowMs: 11, to: { status: "idle" } });
      assert.equal((await store.get(threadId))?.answer?.text, "yes");
      const again = await acquireAt(store, threadId, { pid: 1, nowMs: 12, replaces: null });
      await store.advance(sampleMove(again, 1));
      assert.equal((await store.get(threadId))?.answer, null);
    },
  },
  {
    name: "takes an answer only for a thread that asked",
    async run(store) {
      const { threadId } = (await store.create(sampleThread(1), null)).thread;
      const answer = { threadId, text: "yes", nowMs: 9 };
      await refuses(store.answer(answer), "TRANSITION_INVALID", threadId, "idle");
      assert.equal((await store.get(threadId))?.answer, null);
    },
  },
  {
    name: "removes a thread that nobody owns",
    async run(store) {
      const { threadId } = (await store.create(sampleThread(1), null)).thread;
      await store.remove(threadId, null);
      assert.equal(await store.get(threadId), null);
      await refuses(store.remove(threadId, null), "THREAD_NOT_FOUND", threadId);
    },
  },
  {
    name: "removes an owned thread only from an owner that is named dead",
    async run(store) {
      const { threadId, fence } = await ownedThread(store, 1);
      await refuses(store.remove(threadId, null), "LEASE_HELD", threadId, 100);
      await refuses(store.remove(threadId, fence - 1), "LEASE_HELD", threadId, 100);
      await store.remove(threadId, fence);
      assert.equal(await store.get(threadId), null);
    },
  },
  {
    name: "tells the owner of a removed thread that it has lost it",
    async run(store) {
      const lease = await ownedThread(store, 1);
      await store.remove(lease.threadId, lease.fence);
      await refuses(store.advance(sampleMove(lease, 1)), "LEASE_LOST", lease.threadId, "removed");
      const renewal = { ...lease, ttlMs: 1_000, nowMs: 5 };
      await refuses(store.renew(renewal), "LEASE_LOST", lease.threadId, "removed");
    },
  },
  {
    name: "keeps which limit a thread waits at, until that is raised",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const { threadId } = lease;
      const limit = { role: "coder", bound: "tokens", limit: 8, used: 9.5 } as const;
      const waits = { role: "coder", message: "at its limit", kind: "limit", limit } as const;
      await store.release({ ...lease, nowMs: 1, to: { status: "suspended", ...waits } });
      assert.deepEqual((await store.get(threadId))?.suspended, waits);
      await refuses(
        store.answer({ threadId, text: "go on", nowMs: 2 }),
        "TRANSITION_INVALID",
        threadId,
        "at its limit",
      );
      await store.raise({ threadId, limits: { roles: { coder: { tokens: 20 } } }, nowMs: 3 });
      const raised = await store.get(threadId);
      assert.equal(raised?.status, "idle");
      assert.equal(raised?.suspended, null);
      await store.adopt([copyOf(2, { status: "suspended", suspended: waits })]);
      assert.deepEqual((await store.get(copyOf(2).threadId))?.suspended, waits);
    },
  },
  {
    name: "raises limits one by one: what is left out stays",
    async run(store) {
      const { threadId } = (await store.create(sampleThread(1, { limits: { steps: 3 } }), null))
        .thread;
      const raise = (limits: ThreadLimits): Promise<void> =>
        store.raise({ threadId, limits, nowMs: 1 });
      await raise({ tokens: 5 });
      await raise({ roles: { coder: { costUsd: 0.5 }, planner: { steps: 2 } } });
      await raise({ steps: 4, roles: { coder: { timeMs: 7 } } });
      assert.deepEqual((await store.get(threadId))?.limits, {
        steps: 4,
        tokens: 5,
        roles: { coder: { costUsd: 0.5, timeMs: 7 }, planner: { steps: 2 } },
      });
    },
  },
  {
    name: "says of every change that there is no such thread",
    async run(store) {
      const { threadId } = sampleThread(1);
      const by = { pid: 1, nowMs: 0, replaces: null };
      await refuses(acquireAt(store, threadId, by), "THREAD_NOT_FOUND", threadId);
      await refuses(store.answer({ threadId, text: "", nowMs: 0 }), "THREAD_NOT_FOUND", threadId);
      await refuses(store.signal(threadId, "stop", 0), "THREAD_NOT_FOUND", threadId);
      await refuses(store.clearSignal(threadId, "stop"), "THREAD_NOT_FOUND", threadId);
    },
  },
];

async function suspendedThread(store: ThreadStore): Promise<Lease> {
  const lease = await ownedThread(store, 1);
  const question = { status: "suspended", role: "planner", message: "Which one?" } as const;
  await store.release({ ...lease, nowMs: 1, to: question });
  return lease;
}

const ANYONE = { pid: 100, nowMs: 0, replaces: null };

/** The n-th sample thread as an export describes it: seven steps long, and untouched since then. */
function copyOf(n: number, standing: Partial<ThreadCopy> = {}): ThreadCopy {
  return {
    ...sampleThread(n, { stepCount: 7, head: sampleHash(7) }),
    status: "idle",
    returnCode: null,
    summary: null,
    suspended: null,
    answer: null,
    limits: null,
    agent: null,
    nextPrompt: null,
    updatedAt: 1_800_000_000_000,
    ...standing,
  };
}
