import assert from "node:assert/strict";
import { pendingInputOf } from "@uncaged/workflow-protocol";
import { refuses } from "./refuses.ts";
import {
  acquireAt,
  known,
  ownedThread,
  sampleHash,
  sampleId,
  sampleMove,
  sampleThread,
  suspendedThread,
  UNSET,
} from "./sample-threads.ts";
import type { ThreadStoreCase } from "./store-case.ts";

/** How threads are created and removed, and what a person says to them. */
export const lifecycleCases: readonly ThreadStoreCase[] = [
  {
    name: "creates a thread that is idle and has no owner",
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
        ...UNSET,
        status: "idle",
        pendingInput: null,
        replaced: null,
        updatedAt: asked.createdAt,
        signals: [],
      });
      assert.deepEqual(await store.get(asked.threadId), thread);
    },
  },
  {
    name: "finds no thread that was not created",
    async run(store) {
      assert.equal(await store.get(sampleThread(1).threadId), null);
    },
  },
  {
    name: "returns the first thread of a start key again, whatever became of it",
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
      await store.remove({ threadId: sampleThread(1).threadId, ...UNOWNED });
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
    name: "records an answer in place of the question, word for word",
    async run(store) {
      const { threadId } = await suspendedThread(store, 1);
      await store.answer({ threadId, text: "the \0 second\n", nowMs: 9 });
      const answered = await known(store, threadId);
      const pendingInput = { kind: "answer", role: "planner", text: "the \0 second\n" };
      assert.equal(answered.status, "idle");
      assert.equal("waits" in answered, false);
      assert.deepEqual(pendingInputOf(answered), pendingInput);
      assert.equal(answered.updatedAt, 9);
    },
  },
  {
    name: "keeps what is said to the next role, word for word, until a step is published",
    async run(store) {
      const { thread } = await store.create(sampleThread(1, { nextPrompt: "do \0 this\n" }), null);
      const { threadId } = thread;
      const prompt = { kind: "prompt", text: "do \0 this\n" };
      assert.deepEqual(pendingInputOf(thread), prompt);
      const lease = await acquireAt(store, threadId, ANYONE);
      const bundleHash = sampleHash(77);
      await store.advance({ ...sampleMove(lease, 1), kind: "upgrade", bundleHash });
      assert.deepEqual(pendingInputOf(await known(store, threadId)), prompt);
      await store.advance(sampleMove(lease, 2));
      assert.equal(pendingInputOf(await known(store, threadId)), null);
    },
  },
  {
    name: "keeps an answer until a step is published",
    async run(store) {
      const { threadId } = await suspendedThread(store, 1);
      await store.answer({ threadId, text: "yes", nowMs: 9 });
      const lease = await acquireAt(store, threadId, { pid: 1, nowMs: 10, replaces: null });
      await store.release({ ...lease, nowMs: 11, to: { status: "idle" } });
      assert.equal(pendingInputOf(await known(store, threadId))?.text, "yes");
      const again = await acquireAt(store, threadId, { pid: 1, nowMs: 12, replaces: null });
      await store.advance(sampleMove(again, 1));
      assert.equal(pendingInputOf(await known(store, threadId)), null);
    },
  },
  {
    name: "takes a person's answer in place of what was said before it",
    async run(store) {
      const { thread } = await store.create(sampleThread(1, { nextPrompt: "Go on" }), null);
      const { threadId } = thread;
      const lease = await acquireAt(store, threadId, ANYONE);
      const question = { role: "planner", message: "How?" };
      await store.release({ ...lease, nowMs: 1, to: { status: "suspended", waits: [question] } });
      assert.equal(pendingInputOf(await known(store, threadId))?.text, "Go on");
      await store.answer({ threadId, text: "Like this", nowMs: 2 });
      const answer = { kind: "answer", role: "planner", text: "Like this" };
      assert.deepEqual(pendingInputOf(await known(store, threadId)), answer);
    },
  },
  {
    name: "takes an answer only for a thread that asked",
    async run(store) {
      const { threadId } = (await store.create(sampleThread(1), null)).thread;
      const answer = { threadId, text: "yes", nowMs: 9 };
      await refuses(store.answer(answer), "TRANSITION_INVALID", threadId, "idle");
      assert.equal(pendingInputOf(await known(store, threadId)), null);
    },
  },
  {
    name: "removes a thread that nobody owns",
    async run(store) {
      const { threadId } = (await store.create(sampleThread(1), null)).thread;
      await store.remove({ threadId, ...UNOWNED });
      assert.equal(await store.get(threadId), null);
      await refuses(store.remove({ threadId, ...UNOWNED }), "THREAD_NOT_FOUND", threadId);
    },
  },
  {
    name: "removes an owned thread only from an owner that is named dead",
    async run(store) {
      const { threadId, fence } = await ownedThread(store, 1);
      const removed = (replaces: number | null): Promise<void> =>
        store.remove({ threadId, replaces, nowMs: 1 });
      await refuses(removed(null), "LEASE_HELD", threadId, 100);
      await refuses(removed(fence - 1), "LEASE_HELD", threadId, 100);
      await removed(fence);
      assert.equal(await store.get(threadId), null);
    },
  },
  {
    name: "tells the owner of a removed thread that it has lost it",
    async run(store) {
      const lease = await ownedThread(store, 1);
      await store.remove({ threadId: lease.threadId, replaces: lease.fence, nowMs: 1 });
      await refuses(store.advance(sampleMove(lease, 1)), "LEASE_LOST", lease.threadId, "removed");
      const renewed = await store.renew({ leases: [lease], ttlMs: 1_000, nowMs: 5 });
      assert.deepEqual(renewed, ["lost"]);
    },
  },
  {
    name: "refuses every change of a missing thread",
    async run(store) {
      const { threadId } = sampleThread(1);
      const by = { pid: 1, nowMs: 0, replaces: null };
      await refuses(acquireAt(store, threadId, by), "THREAD_NOT_FOUND", threadId);
      await refuses(store.answer({ threadId, text: "", nowMs: 0 }), "THREAD_NOT_FOUND", threadId);
      const raised = store.raise({ threadId, limits: { steps: 1 }, nowMs: 0 });
      await refuses(raised, "THREAD_NOT_FOUND", threadId);
      await refuses(store.signal(threadId, "stop", 0), "THREAD_NOT_FOUND", threadId);
      await refuses(store.clearSignal(threadId, "stop"), "THREAD_NOT_FOUND", threadId);
    },
  },
  {
    name: "sets and removes labels, whatever the status, and changes nothing else",
    async run(store) {
      const made = sampleThread(1, { labels: { team: "core", old: "1" } });
      const { threadId } = (await store.create(made, null)).thread;
      const before = await known(store, threadId);
      const labels = { keep: "", team: "web" };
      const said = await store.label({ threadId, set: labels, unset: ["old", "none"] });
      assert.deepEqual(said, { team: "web", keep: "" });
      assert.deepEqual(await known(store, threadId), { ...before, labels });
      const found = await store.list({ labels: { keep: null } });
      assert.deepEqual(
        found.map((each) => each.threadId),
        [threadId],
      );
      await store.label({ threadId, set: {}, unset: ["keep", "team"] });
      assert.deepEqual((await known(store, threadId)).labels, {});
      const nobody = store.label({ threadId: sampleId(9), set: labels, unset: [] });
      await refuses(nobody, "THREAD_NOT_FOUND", sampleId(9));
    },
  },
];

const UNOWNED = { replaces: null, nowMs: 1 };
const ANYONE = { pid: 100, nowMs: 0, replaces: null };
