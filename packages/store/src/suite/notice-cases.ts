import assert from "node:assert/strict";
import type { ThreadStore } from "@uncaged/workflow-protocol";
import {
  acquireAt,
  ownedThread,
  sampleId,
  sampleMove,
  samplePersonWait,
  sampleThread,
  suspendedThread,
} from "./sample-threads.ts";
import type { ThreadStoreCase } from "./store-case.ts";

const FAILED = { status: "failed", returnCode: 1, summary: "no \0" } as const;

/** What listeners are told about threads. */
export const noticeCases: readonly ThreadStoreCase[] = [
  {
    name: "has each listener told once whom a thread waits for, and how it ended",
    async run(store) {
      await store.listen(["phone", "desk"]);
      const lease = await ownedThread(store, 1);
      const waits = [samplePersonWait(), samplePersonWait({ member: 2 })] as const;
      await store.release({ ...lease, nowMs: 5, to: { status: "suspended", waits } });
      const { fence } = await acquireAt(store, lease.threadId, ANYONE);
      await store.finish({ ...sampleMove({ ...lease, fence }, 1), ...FAILED, nowMs: 9 });
      const pending = await store.notices({});
      assert.deepEqual(pending.map(brief), [
        ["desk", "waits", 5],
        ["desk", "waits", 5],
        ["phone", "waits", 5],
        ["phone", "waits", 5],
        ["desk", "failed", 9],
        ["phone", "failed", 9],
      ]);
      assert.equal(new Set(pending.map(({ id }) => id)).size, 3);
      const bodies = pending.map(({ body }): unknown => JSON.parse(body));
      const { threadId } = lease;
      const of = { threadId, workflow: "solve-issue", title: null, labels: {}, parentThread: null };
      assert.deepEqual(bodies[0], {
        ...{ id: pending[0]?.id, event: "waits", at: 5, ...of },
        ...{ wait: waits[0], ending: null },
      });
      assert.deepEqual(bodies[5], {
        ...{ id: pending[5]?.id, event: "failed", at: 9, ...of },
        ...{ wait: null, ending: FAILED },
      });
    },
  },
  {
    name: "does not tell again what a thread waits for, however often it comes back to it",
    async run(store) {
      await store.listen(["desk"]);
      const { threadId } = await suspendedThread(store, 1);
      await again(store, threadId);
      const [notice, ...more] = await store.notices({});
      assert.deepEqual(more, []);
      await store.settleNotice({ listener: "desk", id: notice?.id ?? "", nowMs: 6 });
      await again(store, threadId);
      assert.deepEqual(await store.notices({}), []);
    },
  },
  {
    name: "tells nobody of ends that somebody asked for, and of ends of child threads",
    async run(store) {
      await store.listen(["desk"]);
      const lease = await ownedThread(store, 1);
      await store.finish({ ...sampleMove(lease, 1), ...FAILED, status: "aborted" });
      await store.create(sampleThread(2, { parentThread: sampleId(1), depth: 1 }), null);
      const child = await acquireAt(store, sampleId(2), ANYONE);
      await store.finish({ ...sampleMove(child, 1), ...FAILED });
      assert.deepEqual(await store.notices({}), []);
    },
  },
  {
    name: "tells a listener what happens after it is known, and nothing once it is not",
    async run(store) {
      await suspendedThread(store, 1);
      await store.listen(["desk"]);
      await suspendedThread(store, 2);
      await store.listen(["desk", "phone"]);
      await suspendedThread(store, 3);
      const told = async (listener: string): Promise<string[]> =>
        (await store.notices({ listener })).map(({ threadId }) => threadId);
      assert.deepEqual(await told("desk"), [sampleId(2), sampleId(3)]);
      assert.deepEqual(await told("phone"), [sampleId(3)]);
      await store.listen(["phone"]);
      assert.deepEqual(await told("desk"), []);
      assert.deepEqual(await told("phone"), [sampleId(3)]);
    },
  },
  {
    name: "keeps a notice that was put off, with why, and offers it when it is due",
    async run(store) {
      await store.listen(["desk"]);
      const { threadId } = await suspendedThread(store, 1);
      const [notice] = await store.notices({ dueBy: 1 });
      const id = notice?.id ?? "";
      await store.putOffNotice({ listener: "desk", id, dueAt: 50, fault: "503 \0" });
      assert.deepEqual(await store.notices({ dueBy: 49 }), []);
      const [later] = await store.notices({ dueBy: 50, limit: 1 });
      assert.deepEqual(later, { ...notice, attempts: 1, dueAt: 50, fault: "503 \0" });
      await store.remove({ threadId, replaces: null, nowMs: 51 });
      assert.equal((await store.notices({})).length, 1);
      await store.settleNotice({ listener: "desk", id, nowMs: 60 });
      await store.putOffNotice({ listener: "desk", id, dueAt: 70, fault: "late" });
      assert.deepEqual(await store.notices({}), []);
    },
  },
];

const ANYONE = { pid: 100, nowMs: 5, replaces: null };

function brief({ listener, event, at }: { listener: string; event: string; at: number }): unknown {
  return [listener, event, at];
}

/** Somebody takes the thread, and then it waits for the same thing again. */
async function again(store: ThreadStore, threadId: string): Promise<void> {
  const lease = await acquireAt(store, threadId, ANYONE);
  const waits = [{ role: "planner", message: "Which one?" }] as const;
  await store.release({ ...lease, nowMs: 7, to: { status: "suspended", waits } });
}
