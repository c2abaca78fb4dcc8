import assert from "node:assert/strict";
import { type LeaseRef, type ThreadStore, waitsOf } from "@uncaged/workflow-protocol";
import { refuses } from "./refuses.ts";
import {
  acquireAt,
  known,
  ownedThread,
  sampleMove,
  samplePersonWait,
  sampleProcess,
  TTL_MS,
} from "./sample-threads.ts";
import type { ThreadStoreCase } from "./store-case.ts";

const group = { name: "all", entry: 0, of: 3, join: "all" } as const;
const ALICE = samplePersonWait({ since: 1, member: 0, group });
const BOB = samplePersonWait({ since: 2, member: 2, group });
const YES = { meta: { approved: true, why: "\0" }, user: "alice", at: 7 };

/** People who are asked as members of a group, beside its agents. */
export const memberAskCases: readonly ThreadStoreCase[] = [
  {
    name: "asks people of a group whoever owns the thread, and tells of each once",
    async run(store) {
      await store.listen(["desk"]);
      const lease = await ownedThread(store, 1);
      const { threadId } = lease;
      await store.askMembers({ ...lease, waits: [BOB, ALICE] });
      assert.deepEqual(await openOf(store), [ALICE, BOB]);
      assert.deepEqual(await idsOf(store.list({ asking: true })), [threadId]);
      assert.equal((await store.notices({})).length, 2);
      await store.release({ ...lease, nowMs: 3, to: { status: "idle" } });
      assert.deepEqual(await openOf(store), [ALICE, BOB]);
      const next = await acquireAt(store, threadId, { pid: 101, nowMs: 4, replaces: null });
      await store.askMembers({ ...next, waits: [ALICE, BOB] });
      assert.deepEqual(await openOf(store), [ALICE, BOB]);
      assert.equal((await store.notices({})).length, 2);
      await refuses(store.askMembers({ ...lease, waits: [ALICE] }), "LEASE_LOST", threadId);
    },
  },
  {
    name: "keeps what a member answered while nobody owned the thread, for whoever asks again",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const { threadId } = lease;
      await store.askMembers({ ...lease, waits: [ALICE, BOB] });
      await store.release({ ...lease, nowMs: 3, to: { status: "idle" } });
      await store.answerAsk({ ...lease, wait: ALICE, answer: YES });
      const twice = store.answerAsk({ ...lease, wait: ALICE, answer: YES });
      await refuses(twice, "ANSWER_TAKEN", threadId);
      const next = await acquireAt(store, threadId, { pid: 101, nowMs: 4, replaces: null });
      await store.askMembers({ ...next, waits: [ALICE, BOB] });
      const answered = [{ wait: ALICE, answer: YES }];
      assert.deepEqual(await store.askedMembers({ threadId, answered: true }), answered);
      const all = [...answered, { wait: BOB, answer: null }];
      assert.deepEqual(await store.askedMembers({ threadId }), all);
      await store.askMembers({ ...next, waits: [BOB] });
      assert.deepEqual(await store.askedMembers({ threadId }), [{ wait: BOB, answer: null }]);
    },
  },
  {
    name: "is not suspended for a member who has just answered",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const { threadId } = lease;
      await store.askMembers({ ...lease, waits: [ALICE, BOB] });
      await store.answerAsk({ ...lease, wait: BOB, answer: YES });
      const to = { status: "suspended", waits: [ALICE, BOB] } as const;
      assert.equal(await store.release({ ...lease, nowMs: 8, to }), false);
      assert.equal((await known(store, threadId)).status, "running");
      const left = { status: "suspended", waits: [ALICE] } as const;
      assert.equal(await store.release({ ...lease, nowMs: 8, to: left }), true);
      assert.deepEqual(waitsOf(await known(store, threadId)), [ALICE]);
      assert.deepEqual(await store.askedMembers({ threadId }), []);
      await refuses(
        store.answerAsk({ ...lease, wait: ALICE, answer: YES }),
        "ANSWER_TAKEN",
        threadId,
      );
    },
  },
  {
    name: "goes on asking members when a thread that was suspended for them is run",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const { threadId } = lease;
      const waits = [ALICE, BOB] as const;
      await store.release({ ...lease, nowMs: 3, to: { status: "suspended", waits } });
      assert.deepEqual(await openOf(store), []);
      const next = await store.acquire({
        ...{ threadId, process: sampleProcess(101), ttlMs: TTL_MS, nowMs: 4, replaces: null },
        room: "or nothing",
      });
      assert.deepEqual(await openOf(store), [ALICE, BOB]);
      await store.answerAsk({ ...next, wait: ALICE, answer: YES });
      assert.equal((await store.askedMembers({ threadId, answered: true })).length, 1);
    },
  },
  {
    name: "takes no answer of members that were closed, until they are asked again",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const { threadId } = lease;
      await store.askMembers({ ...lease, waits: [ALICE, BOB] });
      await store.closeAsks({ ...lease, members: [2] });
      await refuses(
        store.answerAsk({ ...lease, wait: BOB, answer: YES }),
        "ANSWER_TAKEN",
        threadId,
      );
      assert.deepEqual(await openOf(store), [ALICE]);
      await store.answerAsk({ ...lease, wait: ALICE, answer: YES });
      await store.closeAsks({ ...lease, members: null });
      assert.deepEqual(await store.askedMembers({ threadId, answered: true }), [
        { wait: ALICE, answer: YES },
      ]);
      const next = await acquireAt(store, threadId, { pid: 101, nowMs: 9, replaces: lease.fence });
      await store.askMembers({ ...next, waits: [ALICE, BOB] });
      assert.deepEqual(await openOf(store), [BOB]);
      await store.closeAsks({ ...lease, members: null });
      assert.deepEqual(await openOf(store), [BOB]);
    },
  },
  {
    name: "asks nobody any more once the thread has ended",
    async run(store) {
      const lease = await ownedThread(store, 1);
      await store.askMembers({ ...lease, waits: [ALICE] });
      const { kind: _, ...move } = sampleMove(lease, 1);
      await store.finish({ ...move, status: "completed", returnCode: 0, summary: "done" });
      assert.deepEqual(await openOf(store), []);
      assert.deepEqual(await idsOf(store.list({ asking: true })), []);
    },
  },
  {
    name: "asks members and steps of a thread apart",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const may = samplePersonWait({ since: 5, member: 1, group, permission: true });
      await store.askMembers({ ...lease, waits: [ALICE, BOB] });
      await store.ask({ ...lease, wait: may });
      assert.deepEqual(await openOf(store), [ALICE, BOB, may]);
      await store.closeAsks({ ...lease, members: null });
      assert.deepEqual(await openOf(store), [may]);
      const next = await acquireAt(store, lease.threadId, {
        ...{ pid: 101, nowMs: 9, replaces: lease.fence },
      });
      await store.askMembers({ ...next, waits: [ALICE, BOB] });
      await store.ask({ ...next, wait: may });
      assert.deepEqual(await openOf(store), [ALICE, BOB, may]);
    },
  },
];

async function openOf(store: ThreadStore): Promise<unknown[]> {
  return (await store.asks({})).map(({ wait }) => wait);
}

async function idsOf(listed: Promise<Pick<LeaseRef, "threadId">[]>): Promise<string[]> {
  return (await listed).map(({ threadId }) => threadId);
}
