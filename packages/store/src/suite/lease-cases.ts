import assert from "node:assert/strict";
import { leaseOf, suspensionOf } from "@uncaged/workflow-protocol";
import { refuses } from "./refuses.ts";
import {
  acquireAt,
  known,
  ownedThread,
  sampleMove,
  sampleProcess,
  sampleThread,
  TTL_MS,
} from "./sample-threads.ts";
import type { ThreadStoreCase } from "./store-case.ts";

/** Owning a thread, and losing it. */
export const leaseCases: readonly ThreadStoreCase[] = [
  {
    name: "gives a thread to its first owner and says so in its record",
    async run(store) {
      const { threadId } = (await store.create(sampleThread(1), null)).thread;
      const lease = await acquireAt(store, threadId, { pid: 7, nowMs: 50, replaces: null });
      assert.deepEqual(lease, {
        threadId,
        fence: 1,
        process: sampleProcess(7),
        acquiredAt: 50,
        heartbeatAt: 50,
        expiresAt: 50 + TTL_MS,
      });
      const thread = await store.get(threadId);
      assert.deepEqual(thread && leaseOf(thread), lease);
      assert.equal(thread?.status, "running");
      assert.equal(thread?.updatedAt, 50);
    },
  },
  {
    name: "refuses a second owner and names the first",
    async run(store) {
      const { threadId } = await ownedThread(store, 1);
      const late = { pid: 101, nowMs: TTL_MS - 1, replaces: null };
      await refuses(acquireAt(store, threadId, late), "LEASE_HELD", threadId, 100);
      assert.equal(leaseOf(await known(store, threadId))?.process.pid, 100);
    },
  },
  {
    name: "lets a lease that has run out be taken over, with a higher fence",
    async run(store) {
      const first = await ownedThread(store, 1);
      const by = { pid: 101, nowMs: TTL_MS, replaces: null };
      const second = await acquireAt(store, first.threadId, by);
      assert.ok(second.fence > first.fence);
    },
  },
  {
    name: "lets the lease of a dead owner be taken over before it runs out, once",
    async run(store) {
      const dead = await ownedThread(store, 1);
      const by = { pid: 101, nowMs: 1, replaces: dead.fence };
      await acquireAt(store, dead.threadId, by);
      const late = { ...by, pid: 102 };
      await refuses(acquireAt(store, dead.threadId, late), "LEASE_HELD", dead.threadId, 101);
    },
  },
  {
    name: "keeps an owner that slept from publishing once it was replaced",
    async run(store) {
      const slept = await ownedThread(store, 1);
      const { threadId } = slept;
      await acquireAt(store, threadId, { pid: 101, nowMs: TTL_MS, replaces: null });
      const before = await store.get(threadId);
      const renewal = { leases: [slept], ttlMs: TTL_MS, nowMs: TTL_MS + 1 };
      const end = { status: "completed", returnCode: 0, summary: "done" } as const;
      const rest = { ...slept, nowMs: 1, to: { status: "idle" } } as const;
      const gate = { ...slept, nowMs: 1, to: { status: "paused" } } as const;
      await refuses(store.advance(sampleMove(slept, 1)), "LEASE_LOST", threadId, 101);
      await refuses(store.finish({ ...sampleMove(slept, 1), ...end }), "LEASE_LOST", threadId, 101);
      assert.deepEqual(await store.renew(renewal), ["lost"]);
      await refuses(store.release(rest), "LEASE_LOST", threadId, 101);
      await refuses(store.release(gate), "LEASE_LOST", threadId, 101);
      assert.deepEqual(await store.get(threadId), before);
    },
  },
  {
    name: "lets an owner that slept, and that nobody replaced, publish and renew",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const afterwards = TTL_MS * 100;
      await store.advance({ ...sampleMove(lease, 1), nowMs: afterwards });
      await store.renew({ leases: [lease], ttlMs: TTL_MS, nowMs: afterwards });
      assert.equal(leaseOf(await known(store, lease.threadId))?.expiresAt, afterwards + TTL_MS);
    },
  },
  {
    name: "puts off the end of a lease with every heartbeat",
    async run(store) {
      const lease = await ownedThread(store, 1);
      await store.renew({ leases: [lease], ttlMs: TTL_MS, nowMs: 900 });
      const by = { pid: 101, nowMs: TTL_MS, replaces: null };
      await refuses(acquireAt(store, lease.threadId, by), "LEASE_HELD", 100);
      const renewed = leaseOf(await known(store, lease.threadId));
      assert.deepEqual(renewed, { ...lease, heartbeatAt: 900, expiresAt: 900 + TTL_MS });
    },
  },
  {
    name: "renews all leases of a process at once, and says which of them are lost",
    async run(store) {
      const [first, lost, last] = [
        await ownedThread(store, 1),
        await ownedThread(store, 2),
        await ownedThread(store, 3),
      ];
      const by = { pid: 101, nowMs: TTL_MS, replaces: null };
      const next = await acquireAt(store, lost.threadId, by);
      await store.signal(last.threadId, "stop", 5);
      const leases = [last, lost, first];
      const renewed = await store.renew({ leases, ttlMs: TTL_MS, nowMs: 900 });
      assert.deepEqual(renewed, [["stop"], "lost", []]);
      for (const { threadId } of [first, last])
        assert.equal(leaseOf(await known(store, threadId))?.expiresAt, 900 + TTL_MS);
      assert.deepEqual(leaseOf(await known(store, lost.threadId)), next);
      assert.deepEqual(await store.renew({ leases: [], ttlMs: TTL_MS, nowMs: 901 }), []);
    },
  },
  {
    name: "raises the fence with every owner, also after a release",
    async run(store) {
      const first = await ownedThread(store, 1);
      await store.release({ ...first, nowMs: 1, to: { status: "idle" } });
      assert.equal(leaseOf(await known(store, first.threadId)), null);
      const by = { pid: 101, nowMs: 2, replaces: null };
      const second = await acquireAt(store, first.threadId, by);
      assert.ok(second.fence > first.fence);
      await refuses(store.advance(sampleMove(first, 1)), "LEASE_LOST", first.threadId);
    },
  },
  {
    name: "accepts nothing from an owner that released the thread",
    async run(store) {
      const lease = await ownedThread(store, 1);
      await store.release({ ...lease, nowMs: 1, to: { status: "idle" } });
      await refuses(store.advance(sampleMove(lease, 1)), "LEASE_LOST", lease.threadId, "idle");
      const again = { ...lease, nowMs: 1, to: { status: "idle" } } as const;
      await refuses(store.release(again), "LEASE_LOST", lease.threadId);
    },
  },
  {
    name: "keeps the question of a suspended thread until somebody takes it",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const { threadId } = lease;
      const question = { role: "planner", message: "Which of\nthe\u0000 two?" };
      const given = await store.release({
        ...lease,
        nowMs: 8,
        to: { status: "suspended", waits: [question] },
      });
      assert.equal(given, true);
      const waiting = await known(store, threadId);
      assert.equal(waiting.updatedAt, 8);
      assert.deepEqual(suspensionOf(waiting), question);
      await acquireAt(store, threadId, { pid: 101, nowMs: 9, replaces: null });
      assert.equal((await known(store, threadId)).status, "running");
    },
  },
  {
    name: "gives nobody a lease of a finished thread",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const end = { status: "failed", returnCode: 1, summary: "no" } as const;
      await store.finish({ ...sampleMove(lease, 1), ...end });
      const by = { pid: 101, nowMs: 9, replaces: lease.fence };
      await refuses(acquireAt(store, lease.threadId, by), "TRANSITION_INVALID", "failed");
    },
  },
];
