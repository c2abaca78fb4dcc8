import assert from "node:assert/strict";
import type { HistoryLine } from "@uncaged/workflow-protocol";
import { refuses } from "./refuses.ts";
import {
  acquireAt,
  ownedThread,
  sampleHash,
  sampleId,
  sampleMove,
  sampleSha256,
  sampleThread,
  UNSET,
} from "./sample-threads.ts";
import type { ThreadStoreCase } from "./store-case.ts";

/** What is remembered of threads that ended. */
export const historyCases: readonly ThreadStoreCase[] = [
  {
    name: "has no history at first, and none of threads that have not ended",
    async run(store) {
      assert.deepEqual(await store.history(), { ended: [], lastRemovalAt: 0 });
      const lease = await ownedThread(store, 1);
      await store.advance(sampleMove(lease, 1));
      await store.release({ ...lease, nowMs: 2, to: { status: "idle" } });
      assert.deepEqual(await store.history(), { ended: [], lastRemovalAt: 0 });
    },
  },
  {
    name: "remembers how a thread ended, of which version and after how many steps",
    async run(store) {
      const lease = await ownedThread(store, 1);
      await store.advance(sampleMove(lease, 1));
      const bundleHash = sampleHash(77);
      await store.advance({ ...sampleMove(lease, 2), kind: "upgrade", bundleHash });
      await store.advance(sampleMove(lease, 3));
      const summary = "é\u2028 {all} done.\n";
      const ending = { status: "failed", returnCode: 2, summary } as const;
      await store.finish({ ...sampleMove(lease, 4), ...ending, nowMs: NOON });
      const line: HistoryLine = {
        ...{ threadId: lease.threadId, workflow: "solve-issue", bundleHash, ...ending },
        ...{ head: sampleHash(4), headSha256: sampleSha256(4), stepCount: 2 },
        ...{ startedAt: sampleThread(1).startedAt, finishedAt: NOON },
      };
      assert.deepEqual(await store.history(), { ended: [line], lastRemovalAt: 0 });
    },
  },
  {
    name: "remembers an end only of its owner, from the head that it saw",
    async run(store) {
      const lost = await ownedThread(store, 1);
      const { threadId, fence } = lost;
      const lease = await acquireAt(store, threadId, { pid: 200, nowMs: 1, replaces: fence });
      await refuses(store.finish({ ...sampleMove(lost, 1), ...DONE }), "LEASE_LOST", threadId);
      const early = store.finish({ ...sampleMove(lease, 3), ...DONE });
      await refuses(early, "TRANSITION_INVALID", threadId);
      assert.deepEqual((await store.history()).ended, []);
      await store.finish({ ...sampleMove(lease, 1), ...DONE });
      const again = store.finish({ ...sampleMove(lease, 2), ...DONE });
      await refuses(again, "LEASE_LOST", "completed");
      const { ended } = await store.history();
      assert.deepEqual(
        ended.map(({ head }) => head),
        [sampleHash(1)],
      );
    },
  },
  {
    name: "remembers when a thread was removed, and no longer how it ended",
    async run(store) {
      for (const n of [1, 2]) {
        await store.finish({ ...sampleMove(await ownedThread(store, n), 1), ...DONE, nowMs: NOON });
      }
      await store.remove({ threadId: sampleId(1), replaces: null, nowMs: NOON + 9 });
      await store.create(sampleThread(3), null);
      await store.remove({ threadId: sampleId(3), replaces: null, nowMs: NOON + 5 });
      const { ended, lastRemovalAt } = await store.history();
      assert.deepEqual(
        ended.map(({ threadId }) => threadId),
        [sampleId(2)],
      );
      assert.equal(lastRemovalAt, NOON + 9);
    },
  },
  {
    name: "remembers no removal that was refused",
    async run(store) {
      const { threadId } = await ownedThread(store, 1);
      const removal = { threadId, replaces: null, nowMs: NOON };
      await refuses(store.remove(removal), "LEASE_HELD", threadId);
      const unknown = store.remove({ ...removal, threadId: sampleId(2) });
      await refuses(unknown, "THREAD_NOT_FOUND", sampleId(2));
      assert.equal((await store.history()).lastRemovalAt, 0);
    },
  },
  {
    name: "remembers the second end of a thread that was removed and comes back",
    async run(store) {
      const first = await ownedThread(store, 1);
      await store.finish({ ...sampleMove(first, 1), ...DONE, nowMs: NOON });
      await store.remove({ threadId: first.threadId, replaces: null, nowMs: NOON + 1 });
      const second = await ownedThread(store, 1);
      await store.finish({ ...sampleMove(second, 1), ...DONE, nowMs: NOON + 2 });
      const { ended } = await store.history();
      assert.deepEqual(
        ended.map(({ finishedAt }) => finishedAt),
        [NOON + 2],
      );
    },
  },
  {
    name: "takes over threads that ended elsewhere without a word in its own history",
    async run(store) {
      const adopted = { ...sampleThread(1), ...UNSET, updatedAt: NOON };
      await store.adopt([{ ...adopted, ...DONE }]);
      assert.deepEqual(await store.history(), { ended: [], lastRemovalAt: 0 });
    },
  },
  {
    name: "forgets removed threads that ended before a time, and no others",
    async run(store) {
      for (const [n, endedAt] of [10, 20, 30].entries()) {
        const lease = await ownedThread(store, n + 1);
        await store.finish({ ...sampleMove(lease, 1), ...DONE, nowMs: NOON + endedAt });
      }
      for (const n of [1, 2])
        await store.remove({ threadId: sampleId(n), replaces: null, nowMs: NOON + 100 + n });
      assert.equal(await store.forget({ endedBefore: NOON + 10 }), 0);
      assert.equal(await store.forget({ endedBefore: NOON + 40 }), 2);
      const { ended, lastRemovalAt } = await store.history();
      assert.deepEqual(
        [ended.map(({ threadId }) => threadId), lastRemovalAt],
        [[sampleId(3)], NOON + 102],
      );
    },
  },
];

const NOON = Date.UTC(2026, 3, 23, 12);
const DONE = { status: "completed", returnCode: 0, summary: "done" } as const;
