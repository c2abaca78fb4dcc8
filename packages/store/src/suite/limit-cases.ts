import assert from "node:assert/strict";
import {
  leaseOf,
  pendingInputOf,
  suspensionOf,
  type ThreadLimits,
  type ThreadStore,
} from "@uncaged/workflow-protocol";
import { refuses } from "./refuses.ts";
import {
  acquireAt,
  known,
  ownedThread,
  sampleMove,
  sampleThread,
  suspendedThread,
} from "./sample-threads.ts";
import type { ThreadStoreCase } from "./store-case.ts";

/** Limits of a thread, and waiting at one. */
export const limitCases: readonly ThreadStoreCase[] = [
  {
    name: "keeps the limits and the agent that a thread was made with, past its end",
    async run(store) {
      const limits = { steps: 3, costUsd: 0.5, roles: { coder: { timeMs: 7 } } };
      const made = sampleThread(1, { limits, agent: "claude" });
      const { threadId } = (await store.create(made, null)).thread;
      const lease = await acquireAt(store, threadId, { pid: 1, nowMs: 0, replaces: null });
      await store.advance(sampleMove(lease, 1));
      const end = { status: "completed", returnCode: 0, summary: "done" } as const;
      await store.finish({ ...sampleMove(lease, 2), ...end });
      const ended = await known(store, threadId);
      assert.deepEqual(ended.limits, limits);
      assert.equal(ended.agent, "claude");
    },
  },
  {
    name: "raises limits one by one: what is left out stays",
    async run(store) {
      const { threadId } = (await store.create(sampleThread(1, { limits: { steps: 3 } }), null))
        .thread;
      await raise(store, threadId, { tokens: 5 });
      await raise(store, threadId, {
        roles: { coder: { costUsd: 0.5 }, planner: { steps: 2 } },
      });
      await raise(store, threadId, { steps: 4, roles: { coder: { timeMs: 7 } } });
      assert.deepEqual((await known(store, threadId)).limits, {
        steps: 4,
        tokens: 5,
        roles: { coder: { costUsd: 0.5, timeMs: 7 }, planner: { steps: 2 } },
      });
    },
  },
  {
    name: "raises limits of a thread that runs or is paused, and leaves it at that",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const { threadId } = lease;
      await raise(store, threadId, { steps: 4 });
      const running = await known(store, threadId);
      assert.deepEqual(leaseOf(running), lease);
      assert.equal(running.updatedAt, RAISED_AT);
      await store.advance(sampleMove(lease, 1));
      await store.signal(threadId, "pause", 1);
      await store.release({ ...lease, nowMs: 2, to: { status: "paused" } });
      await raise(store, threadId, { tokens: 5 });
      const paused = await known(store, threadId);
      assert.equal(paused.status, "paused");
      assert.deepEqual(paused.limits, { steps: 4, tokens: 5 });
    },
  },
  {
    name: "keeps which limit a thread waits at, accepts no answer, and lets it continue once that is raised",
    async run(store) {
      const { thread } = await store.create(sampleThread(1, { nextPrompt: "Go on" }), null);
      const { threadId } = thread;
      const lease = await acquireAt(store, threadId, { pid: 1, nowMs: 0, replaces: null });
      const limit = { role: "coder", bound: "tokens", limit: 8, used: 9.5 } as const;
      const reached = { role: "coder", message: "at its limit", kind: "limit", limit } as const;
      await store.release({ ...lease, nowMs: 1, to: { status: "suspended", waits: [reached] } });
      assert.deepEqual(suspensionOf(await known(store, threadId)), reached);
      const answer = store.answer({ threadId, text: "go on", nowMs: 2 });
      await refuses(answer, "TRANSITION_INVALID", threadId, "at its limit");
      await raise(store, threadId, { roles: { coder: { tokens: 20 } } });
      const raised = await known(store, threadId);
      assert.equal(raised.status, "idle");
      assert.equal("waits" in raised, false);
      assert.equal(raised.updatedAt, RAISED_AT);
      assert.deepEqual(pendingInputOf(raised), { kind: "prompt", text: "Go on" });
    },
  },
  {
    name: "keeps a worker waiting for its coordinator, who tells it what is next, whatever is raised",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const { threadId } = lease;
      const done = { role: "coder", message: "done", kind: "coordinator" } as const;
      await store.release({ ...lease, nowMs: 1, to: { status: "suspended", waits: [done] } });
      await raise(store, threadId, { steps: 4 });
      assert.deepEqual(suspensionOf(await known(store, threadId)), done);
      await store.answer({ threadId, text: "once more", nowMs: 2 });
      const told = await known(store, threadId);
      assert.equal(told.status, "idle");
      assert.deepEqual(pendingInputOf(told), { kind: "answer", role: "coder", text: "once more" });
    },
  },
  {
    name: "keeps a thread with a question waiting for its answer, whatever is raised",
    async run(store) {
      const { threadId } = await suspendedThread(store, 1);
      const question = suspensionOf(await known(store, threadId));
      await raise(store, threadId, { steps: 4 });
      const asked = await known(store, threadId);
      assert.deepEqual(suspensionOf(asked), question);
      assert.deepEqual(asked.limits, { steps: 4 });
      await store.answer({ threadId, text: "yes", nowMs: 9 });
      assert.equal((await known(store, threadId)).status, "idle");
    },
  },
  {
    name: "raises no limit of a thread that has ended",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const { threadId } = lease;
      const end = { status: "aborted", returnCode: 130, summary: "no" } as const;
      await store.finish({ ...sampleMove(lease, 1), ...end });
      const before = await known(store, threadId);
      await refuses(raise(store, threadId, { steps: 4 }), "TRANSITION_INVALID", "aborted");
      assert.deepEqual(await known(store, threadId), before);
    },
  },
];

const RAISED_AT = 77;

function raise(store: ThreadStore, threadId: string, limits: ThreadLimits): Promise<void> {
  return store.raise({ threadId, limits, nowMs: RAISED_AT });
}
