import assert from "node:assert/strict";
import {
  endingOf,
  isFinished,
  leaseOf,
  pendingInputOf,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { refuses } from "./refuses.ts";
import {
  acquireAt,
  known,
  ownedThread,
  sampleHash,
  sampleMove,
  sampleSha256,
  sampleThread,
  suspendedThread,
  UNSET,
} from "./sample-threads.ts";
import type { ThreadStoreCase } from "./store-case.ts";

/** Publishing steps and ends. */
export const headCases: readonly ThreadStoreCase[] = [
  {
    name: "moves the head with every step",
    async run(store) {
      const lease = await ownedThread(store, 1);
      for (const n of [1, 2, 3]) await store.advance(sampleMove(lease, n));
      const thread = await store.get(lease.threadId);
      assert.equal(thread?.head, sampleHash(3));
      assert.equal(thread?.headSha256, sampleSha256(3));
      assert.equal(thread?.stepCount, 3);
      assert.equal(thread?.updatedAt, 3);
      assert.equal(thread?.status, "running");
      assert.deepEqual(thread && leaseOf(thread), lease);
    },
  },
  {
    name: "moves a head only from the one that the writer saw",
    async run(store) {
      const lease = await ownedThread(store, 1);
      await store.advance(sampleMove(lease, 1));
      const other = { ...sampleMove(lease, 1), to: sampleHash(2) };
      const again = store.advance(other);
      await refuses(again, "TRANSITION_INVALID", lease.threadId, sampleHash(0), sampleHash(1));
      const end = { status: "completed", returnCode: 0, summary: "done" } as const;
      const early = store.finish({ ...sampleMove(lease, 3), ...end });
      await refuses(early, "TRANSITION_INVALID", lease.threadId, sampleHash(1), sampleHash(2));
      assert.equal((await store.get(lease.threadId))?.stepCount, 1);
    },
  },
  {
    name: "takes a move that was made before, and whose answer was lost, as made",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const { threadId } = lease;
      const usage = { inputTokens: 5, outputTokens: 1, cachedInputTokens: 0, costUsd: 1 };
      const spent = { role: "coder", agent: "a", model: "m", usage };
      const move = { ...sampleMove(lease, 1), spent };
      assert.deepEqual(await store.advance(move), []);
      await store.signal(threadId, "pause", 2);
      assert.deepEqual(await store.advance(move), ["pause"]);
      assert.equal((await known(store, threadId)).stepCount, 1);
      const replaced = { pid: 2, nowMs: 3, replaces: lease.fence };
      const next = await acquireAt(store, threadId, replaced);
      await refuses(store.advance(move), "LEASE_LOST", threadId);
      const end = { status: "completed", returnCode: 0, summary: "done", spent } as const;
      const final = { ...sampleMove(next, 2), ...end };
      await store.finish(final);
      await store.finish(final);
      await refuses(store.finish({ ...final, fence: lease.fence }), "LEASE_LOST", threadId);
      await refuses(store.finish({ ...final, status: "failed" }), "LEASE_LOST", threadId);
      const [sum] = await store.spent({ by: "role" });
      assert.deepEqual([sum?.key, sum?.runs], ["coder", 2]);
      assert.equal((await store.history()).ended.length, 1);
    },
  },
  {
    name: "moves to another bundle with the head, which is no step, and keeps what a person said",
    async run(store) {
      const { threadId } = await suspendedThread(store, 1);
      await store.answer({ threadId, text: "This one", nowMs: 3 });
      const lease = await acquireAt(store, threadId, { pid: 1, nowMs: 4, replaces: null });
      const bundleHash = sampleHash(77);
      await store.advance({ ...sampleMove(lease, 1), kind: "upgrade", bundleHash });
      const upgraded = await known(store, threadId);
      assert.equal(upgraded.head, sampleHash(1));
      assert.equal(upgraded.bundleHash, bundleHash);
      assert.equal(upgraded.stepCount, 0);
      const answer = { kind: "answer", role: "planner", text: "This one" };
      assert.deepEqual(pendingInputOf(upgraded), answer);
      await store.advance(sampleMove(lease, 2));
      const stepped = await known(store, threadId);
      assert.equal(stepped.bundleHash, bundleHash);
      assert.equal(stepped.stepCount, 1);
      assert.equal(pendingInputOf(stepped), null);
    },
  },
  {
    name: "notes something beside the steps: none is counted, and what a person said still waits",
    async run(store) {
      const { threadId } = await suspendedThread(store, 1);
      await store.answer({ threadId, text: "This one", nowMs: 3 });
      const lease = await acquireAt(store, threadId, { pid: 1, nowMs: 4, replaces: null });
      await store.advance({ ...sampleMove(lease, 1), kind: "note" });
      const noted = await known(store, threadId);
      assert.equal(noted.head, sampleHash(1));
      assert.equal(noted.stepCount, 0);
      const answer = { kind: "answer", role: "planner", text: "This one" };
      assert.deepEqual(pendingInputOf(noted), answer);
    },
  },
  {
    name: "puts a step in the place of the last one, which it keeps until the next step",
    async run(store) {
      const lease = await ownedThread(store, 1);
      await store.advance(sampleMove(lease, 1));
      await store.advance({ ...sampleMove(lease, 2), kind: "replace" });
      const replaced = { head: sampleHash(1), headSha256: sampleSha256(1) };
      const poked = await known(store, lease.threadId);
      assert.equal(poked.head, sampleHash(2));
      assert.equal(poked.stepCount, 1);
      assert.deepEqual(replacedOf(poked), replaced);
      await store.release({ ...lease, nowMs: 3, to: { status: "idle" } });
      assert.deepEqual(replacedOf(await known(store, lease.threadId)), replaced);
      const next = await acquireAt(store, lease.threadId, { pid: 1, nowMs: 4, replaces: null });
      await store.advance(sampleMove(next, 3));
      const stepped = await known(store, lease.threadId);
      assert.equal(stepped.stepCount, 2);
      assert.equal(replacedOf(stepped), null);
    },
  },
  {
    name: "restores a replaced step by another replacement, which can be undone in turn",
    async run(store) {
      const lease = await ownedThread(store, 1);
      await store.advance(sampleMove(lease, 1));
      await store.advance({ ...sampleMove(lease, 2), kind: "replace" });
      const back = { from: sampleHash(2), to: sampleHash(1), toSha256: sampleSha256(1) };
      await store.advance({ ...sampleMove(lease, 2), ...back, kind: "replace" });
      const restored = await known(store, lease.threadId);
      assert.equal(restored.head, sampleHash(1));
      assert.equal(restored.headSha256, sampleSha256(1));
      assert.equal(restored.stepCount, 1);
      const replaced = { head: sampleHash(2), headSha256: sampleSha256(2) };
      assert.deepEqual(replacedOf(restored), replaced);
    },
  },
  {
    name: "forgets a replaced step when the thread goes over to another bundle, or ends",
    async run(store) {
      const lease = await ownedThread(store, 1);
      await store.advance({ ...sampleMove(lease, 1), kind: "replace" });
      const bundleHash = sampleHash(77);
      await store.advance({ ...sampleMove(lease, 2), kind: "upgrade", bundleHash });
      assert.equal(replacedOf(await known(store, lease.threadId)), null);
      await store.advance({ ...sampleMove(lease, 3), kind: "replace" });
      const end = { status: "completed", returnCode: 0, summary: "done" } as const;
      await store.finish({ ...sampleMove(lease, 4), ...end });
      assert.equal("replaced" in (await known(store, lease.threadId)), false);
    },
  },
  {
    name: "takes what a person said with the step that replaces another, too",
    async run(store) {
      const { thread } = await store.create(sampleThread(1, { nextPrompt: "Go on" }), null);
      const { threadId } = thread;
      const lease = await acquireAt(store, threadId, { pid: 1, nowMs: 4, replaces: null });
      await store.advance({ ...sampleMove(lease, 1), kind: "replace" });
      assert.equal(pendingInputOf(await known(store, threadId)), null);
    },
  },
  {
    name: "lets only the owner move a head, whichever way",
    async run(store) {
      const lost = await ownedThread(store, 1);
      const by = { pid: 200, nowMs: 1, replaces: lost.fence };
      await acquireAt(store, lost.threadId, by);
      const before = await known(store, lost.threadId);
      const move = sampleMove(lost, 1);
      const upgrade = { ...move, kind: "upgrade", bundleHash: sampleHash(77) } as const;
      await refuses(store.advance(move), "LEASE_LOST", lost.threadId, 200);
      await refuses(store.advance({ ...move, kind: "replace" }), "LEASE_LOST", lost.threadId, 200);
      await refuses(store.advance(upgrade), "LEASE_LOST", lost.threadId, 200);
      assert.deepEqual(await known(store, lost.threadId), before);
    },
  },
  {
    name: "publishes end node, status and release of the lease at once",
    async run(store) {
      const endings = [
        { status: "completed", returnCode: 0, summary: "All done.\n" },
        { status: "failed", returnCode: 1, summary: "" },
        { status: "aborted", returnCode: 130, summary: "ended by a person" },
      ] as const;
      for (const [n, ending] of endings.entries()) {
        const lease = await ownedThread(store, n);
        await store.signal(lease.threadId, "kill", 1);
        await store.finish({ ...sampleMove(lease, 1), ...ending });
        const at = { head: sampleHash(1), headSha256: sampleSha256(1), updatedAt: 1 };
        const facts = { ...sampleThread(n), ...UNSET, ...at };
        assert.deepEqual(await store.get(lease.threadId), { ...facts, ...ending });
      }
    },
  },
  {
    name: "takes no step after the end",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const end = { status: "completed", returnCode: 0, summary: "done" } as const;
      await store.finish({ ...sampleMove(lease, 1), ...end });
      await refuses(store.advance(sampleMove(lease, 2)), "LEASE_LOST", "completed");
      await refuses(store.finish({ ...sampleMove(lease, 2), ...end }), "LEASE_LOST", "completed");
    },
  },
  {
    name: "carries a summary of any length and content",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const summary = "é\u0000\u2028\ud83d\ude00'\"\\\ud800".repeat(50_000);
      const end = { status: "completed", returnCode: 0, summary } as const;
      await store.finish({ ...sampleMove(lease, 1), ...end });
      assert.deepEqual(endingOf(await known(store, lease.threadId)), end);
    },
  },
];

function replacedOf(thread: ThreadRecord): { head: string; headSha256: string } | null {
  return isFinished(thread) ? null : thread.replaced;
}
