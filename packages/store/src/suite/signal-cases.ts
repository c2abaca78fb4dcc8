import assert from "node:assert/strict";
import {
  isFinished,
  leaseOf,
  type SignalKind,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import {
  acquireAt,
  known,
  ownedThread,
  sampleMove,
  sampleThread,
  TTL_MS,
} from "./sample-threads.ts";
import type { ThreadStoreCase } from "./store-case.ts";

/** What other processes ask of an owner. */
export const signalCases: readonly ThreadStoreCase[] = [
  {
    name: "returns pending signals to the owner with every step, heartbeat and read",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const { threadId } = lease;
      assert.deepEqual(await store.advance(sampleMove(lease, 1)), []);
      await store.signal(threadId, "kill", 5);
      await store.signal(threadId, "pause", 6);
      const waiting = ["pause", "kill"];
      assert.deepEqual(await store.advance(sampleMove(lease, 2)), waiting);
      const heartbeat = { leases: [lease], ttlMs: TTL_MS, nowMs: 7 };
      assert.deepEqual(await store.renew(heartbeat), [waiting]);
      const other = (await store.create(sampleThread(2), null)).thread.threadId;
      assert.deepEqual(await store.signals([other, threadId]), [[], waiting]);
      assert.deepEqual(signalsOf(await known(store, threadId)), waiting);
    },
  },
  {
    name: "leaves a signal once however often it is sent, and other signals when it is cleared",
    async run(store) {
      const { threadId } = (await store.create(sampleThread(1), null)).thread;
      await store.signal(threadId, "pause", 1);
      await store.signal(threadId, "pause", 2);
      await store.signal(threadId, "stop", 3);
      assert.deepEqual(await store.signals([threadId]), [["pause", "stop"]]);
      await store.clearSignal(threadId, "pause");
      await store.clearSignal(threadId, "pause");
      assert.deepEqual(await store.signals([threadId]), [["stop"]]);
    },
  },
  {
    name: "clears a leftover stop for the next owner, and keeps pause and kill",
    async run(store) {
      const { threadId } = (await store.create(sampleThread(1), null)).thread;
      for (const kind of ["pause", "stop", "kill"] as const) await store.signal(threadId, kind, 1);
      await acquireAt(store, threadId, { pid: 100, nowMs: 2, replaces: null });
      assert.deepEqual(await store.signals([threadId]), [["pause", "kill"]]);
    },
  },
  {
    name: "lets an owner stop at the gate while it is closed, and the gate stays closed",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const { threadId } = lease;
      await store.signal(threadId, "pause", 1);
      assert.equal(await store.release({ ...lease, nowMs: 2, to: { status: "paused" } }), true);
      const thread = await known(store, threadId);
      assert.equal(thread.status, "paused");
      assert.deepEqual(signalsOf(thread), ["pause"]);
    },
  },
  {
    name: "lets an owner continue that finds the gate open after all",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const { threadId } = lease;
      await store.signal(threadId, "pause", 1);
      await store.clearSignal(threadId, "pause");
      assert.equal(await store.release({ ...lease, nowMs: 2, to: { status: "paused" } }), false);
      const thread = await known(store, threadId);
      assert.equal(thread.status, "running");
      assert.deepEqual(leaseOf(thread), lease);
    },
  },
  {
    name: "keeps no signal for a finished thread",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const end = { status: "completed", returnCode: 0, summary: "done" } as const;
      await store.finish({ ...sampleMove(lease, 1), ...end });
      await store.signal(lease.threadId, "kill", 5);
      assert.deepEqual(await store.signals([lease.threadId]), [[]]);
    },
  },
  {
    name: "is no change of the thread itself",
    async run(store) {
      const { threadId, createdAt } = (await store.create(sampleThread(1), null)).thread;
      await store.signal(threadId, "pause", createdAt + 5);
      await store.clearSignal(threadId, "pause");
      assert.equal((await store.get(threadId))?.updatedAt, createdAt);
    },
  },
  {
    name: "returns no signals for a thread that does not exist",
    async run(store) {
      assert.deepEqual(await store.signals([sampleThread(1).threadId]), [[]]);
    },
  },
];

function signalsOf(thread: ThreadRecord): readonly SignalKind[] {
  return isFinished(thread) ? [] : thread.signals;
}
