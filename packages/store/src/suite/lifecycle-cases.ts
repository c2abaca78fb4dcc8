import assert from "node:assert/strict";
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
    name: "changes a status along the table of transitions only",
    async run(store) {
      const { threadId } = (await store.create(sampleThread(1), null)).thread;
      await store.setStatus({ threadId, from: "idle", to: "paused", nowMs: 9 });
      assert.equal((await store.get(threadId))?.status, "paused");
      assert.equal((await store.get(threadId))?.updatedAt, 9);
      const wrong = { threadId, from: "paused", to: "completed", nowMs: 10 } as const;
      await refuses(store.setStatus(wrong), "TRANSITION_INVALID", threadId, "paused", "completed");
      assert.equal((await store.get(threadId))?.status, "paused");
    },
  },
  {
    name: "changes a status only from the one that the writer saw",
    async run(store) {
      const { threadId } = (await store.create(sampleThread(1), null)).thread;
      const stale = { threadId, from: "paused", to: "idle", nowMs: 9 } as const;
      await refuses(store.setStatus(stale), "TRANSITION_INVALID", threadId, "idle");
    },
  },
  {
    name: "makes nothing running without an owner",
    async run(store) {
      const { threadId } = (await store.create(sampleThread(1), null)).thread;
      const wrong = { threadId, from: "idle", to: "running", nowMs: 9 } as const;
      await refuses(store.setStatus(wrong), "TRANSITION_INVALID", threadId, "owner");
    },
  },
  {
    name: "leaves the status of an owned thread to its owner",
    async run(store) {
      const { threadId } = await ownedThread(store, 1);
      const wrong = { threadId, from: "running", to: "idle", nowMs: 9 } as const;
      await refuses(store.setStatus(wrong), "LEASE_HELD", threadId, 100);
    },
  },
  {
    name: "drops the question of a suspended thread that becomes idle",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const question = { status: "suspended", role: "planner", message: "Which one?" } as const;
      await store.release({ ...lease, nowMs: 1, to: question });
      const change = { threadId: lease.threadId, from: "suspended", to: "idle", nowMs: 2 } as const;
      await store.setStatus(change);
      assert.equal((await store.get(lease.threadId))?.suspended, null);
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
    name: "says of every change that there is no such thread",
    async run(store) {
      const { threadId } = sampleThread(1);
      const by = { pid: 1, nowMs: 0, replaces: null };
      const change = { threadId, from: "idle", to: "paused", nowMs: 0 } as const;
      await refuses(acquireAt(store, threadId, by), "THREAD_NOT_FOUND", threadId);
      await refuses(store.setStatus(change), "THREAD_NOT_FOUND", threadId);
      await refuses(store.signal(threadId, "stop", 0), "THREAD_NOT_FOUND", threadId);
      await refuses(store.clearSignal(threadId, "stop"), "THREAD_NOT_FOUND", threadId);
    },
  },
];
