import assert from "node:assert/strict";
import { failure, type HeadMove, WorkflowError } from "@uncaged/workflow-protocol";
import { refuses } from "./refuses.ts";
import {
  acquireAt,
  ownedThread,
  sampleHash,
  sampleMove,
  sampleSha256,
  sampleThread,
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
      assert.deepEqual(thread?.lease, lease);
    },
  },
  {
    name: "moves a head only from the one that the writer saw",
    async run(store) {
      const lease = await ownedThread(store, 1);
      await store.advance(sampleMove(lease, 1));
      const again = store.advance(sampleMove(lease, 1));
      await refuses(again, "TRANSITION_INVALID", lease.threadId, sampleHash(0), sampleHash(1));
      const end = { status: "completed", returnCode: 0, summary: "done" } as const;
      const early = store.finish({ ...sampleMove(lease, 3), ...end });
      await refuses(early, "TRANSITION_INVALID", lease.threadId, sampleHash(1), sampleHash(2));
      assert.equal((await store.get(lease.threadId))?.stepCount, 1);
    },
  },
  {
    name: "moves to another bundle with the head, and keeps the answer that waits",
    async run(store) {
      const { threadId, fence } = await ownedThread(store, 1);
      const question = { status: "suspended", role: "coder", message: "Which?" } as const;
      await store.release({ threadId, fence, nowMs: 2, to: question });
      await store.answer({ threadId, text: "This one", nowMs: 3 });
      const process = { pid: 1, startedAt: "0", bootId: "test" };
      const lease = await store.acquire({ threadId, process, ttlMs: 9, nowMs: 4, replaces: null });
      const bundleHash = sampleHash(77);
      await store.advance({ ...sampleMove(lease, 1), stepCount: 0, bundleHash });
      const upgraded = await store.get(threadId);
      assert.equal(upgraded?.bundleHash, bundleHash);
      assert.equal(upgraded?.stepCount, 0);
      assert.deepEqual(upgraded?.answer, { role: "coder", text: "This one" });
      await store.advance(sampleMove(lease, 2));
      const stepped = await store.get(threadId);
      assert.equal(stepped?.bundleHash, bundleHash);
      assert.equal(stepped?.answer, null);
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
        await store.finish({ ...sampleMove(lease, 1), stepCount: 0, ...ending });
        const before = {
          ...sampleThread(n),
          suspended: null,
          answer: null,
          limits: null,
          agent: null,
          nextPrompt: null,
          replaced: null,
          signals: [],
          lease: null,
        };
        assert.deepEqual(await store.get(lease.threadId), {
          ...before,
          ...ending,
          head: sampleHash(1),
          headSha256: sampleSha256(1),
          updatedAt: 1,
        });
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
    name: "records an end only for its owner, and does not end what could not be recorded",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const { threadId, fence } = lease;
      const recorded: string[] = [];
      const end = { status: "completed", returnCode: 0, summary: "done" } as const;
      const ended = (by: string, move: HeadMove): Promise<void> =>
        store.finish({ ...move, ...end, record: () => recorded.push(by) });
      const next = await acquireAt(store, threadId, { pid: 200, nowMs: 1, replaces: fence });
      await refuses(ended("the former owner", sampleMove(lease, 1)), "LEASE_LOST", threadId);
      const full = new WorkflowError(failure("STORAGE_FAILED", "the disk is full", "free some"));
      const record = (): never => {
        throw full;
      };
      await refuses(
        store.finish({ ...sampleMove(next, 1), ...end, record }),
        "STORAGE_FAILED",
        "the disk is full",
      );
      assert.equal((await store.get(threadId))?.status, "running");
      await ended("the owner", sampleMove(next, 1));
      assert.deepEqual(recorded, ["the owner"]);
    },
  },
  {
    name: "carries a summary of any length and content",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const summary = "é\u0000\u2028\ud83d\ude00'\"\\\ud800".repeat(50_000);
      const end = { status: "completed", returnCode: 0, summary } as const;
      await store.finish({ ...sampleMove(lease, 1), ...end });
      assert.equal((await store.get(lease.threadId))?.summary, summary);
    },
  },
];
