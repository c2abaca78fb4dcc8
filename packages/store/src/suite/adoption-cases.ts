import assert from "node:assert/strict";
import type { PendingInput, ThreadCopy, ThreadFacts } from "@uncaged/workflow-protocol";
import { refuses } from "./refuses.ts";
import {
  acquireAt,
  known,
  sampleHash,
  sampleId,
  sampleMove,
  sampleSha256,
  sampleThread,
  UNSET,
} from "./sample-threads.ts";
import type { ThreadStoreCase } from "./store-case.ts";

/** Adopting threads that were created elsewhere. */
export const adoptionCases: readonly ThreadStoreCase[] = [
  {
    name: "adopts unfinished threads exactly as they were elsewhere, without an owner",
    async run(store) {
      const limits = { steps: 9, roles: { coder: { tokens: 8 } } };
      const limit = { role: "coder", bound: "tokens", limit: 8, used: 9.5 } as const;
      const atLimit = { role: "coder", message: "at its limit", kind: "limit", limit } as const;
      const answer: PendingInput = { kind: "answer", role: "planner", text: "the \0 second" };
      const prompt: PendingInput = { kind: "prompt", text: "do \0 this" };
      const question = { role: "planner", message: "which \0 one?\n" };
      const copies: ThreadCopy[] = [
        { ...copiedFacts(1), status: "idle", pendingInput: null },
        { ...copiedFacts(2, { limits, agent: "claude" }), status: "idle", pendingInput: answer },
        { ...copiedFacts(3), status: "idle", pendingInput: prompt },
        { ...copiedFacts(4), status: "suspended", pendingInput: null, waits: [question] },
        { ...copiedFacts(5, { limits }), ...AT_REST, waits: [atLimit], pendingInput: prompt },
      ];
      await store.adopt(copies);
      for (const copy of copies) {
        const steering = { replaced: null, signals: [] };
        assert.deepEqual(await store.get(copy.threadId), { ...copy, ...steering });
      }
    },
  },
  {
    name: "adopts threads that ended, however they did, with nothing left to steer",
    async run(store) {
      const copies = (["completed", "failed", "aborted"] as const).map((status, n) => ({
        ...copiedFacts(n, { forkedFrom: { threadId: sampleId(9), stateHash: sampleHash(3) } }),
        ...{ status, returnCode: n, summary: `all \0 ${status}` },
      }));
      await store.adopt(copies);
      for (const copy of copies) {
        assert.deepEqual(await store.get(copy.threadId), copy);
        const by = { pid: 1, nowMs: 0, replaces: null };
        await refuses(acquireAt(store, copy.threadId, by), "TRANSITION_INVALID", copy.status);
      }
    },
  },
  {
    name: "finds an adopted thread by its names and what it was asked, and books nothing that it used elsewhere",
    async run(store) {
      const facts = copiedFacts(1, { title: "Nightly", labels: { team: "core" } });
      const usage = { inputTokens: 1, outputTokens: 2, cachedInputTokens: 3, costUsd: 0.5 };
      await store.adopt([{ ...facts, ...IDLE, prompt: "Say hello\nto all", usage }]);
      assert.deepEqual((await store.get(facts.threadId))?.usage, usage);
      assert.deepEqual(await store.spent({ by: "workflow" }), []);
      const found = await store.list({ text: "all nightly", labels: { team: "core" } });
      assert.deepEqual(
        found.map(({ title, promptLine, labels }) => ({ title, promptLine, labels })),
        [{ title: "Nightly", promptLine: "Say hello", labels: { team: "core" } }],
      );
    },
  },
  {
    name: "lets an adopted thread continue like any other",
    async run(store) {
      const question = { role: "planner", message: "Which?" };
      await store.adopt([{ ...copiedFacts(1), ...AT_REST, waits: [question], pendingInput: null }]);
      const { threadId } = sampleThread(1);
      assert.deepEqual(
        (await store.list({ suspended: true })).map((thread) => thread.threadId),
        [threadId],
      );
      await store.answer({ threadId, text: "This", nowMs: 1 });
      const lease = await acquireAt(store, threadId, { pid: 1, nowMs: 2, replaces: null });
      assert.equal(lease.fence, 1);
      await store.advance({ ...sampleMove(lease, 8), from: sampleHash(7) });
      const gone = await known(store, threadId);
      assert.equal(gone.head, sampleHash(8));
      assert.equal(gone.stepCount, 8);
      const [root] = await store.roots();
      const { startHash, head, headSha256 } = gone;
      assert.deepEqual(root, { threadId, startHash, head, headSha256 });
    },
  },
  {
    name: "adopts all threads or none",
    async run(store) {
      await store.create(sampleThread(2), null);
      const { threadId } = sampleThread(2);
      const idle = (n: number): ThreadCopy => ({ ...copiedFacts(n), ...IDLE });
      await refuses(store.adopt([idle(1), idle(2)]), "TARGET_EXISTS", threadId);
      await refuses(store.adopt([idle(3), idle(3)]), "TARGET_EXISTS", sampleId(3));
      assert.deepEqual(
        (await store.list({})).map((thread) => thread.threadId),
        [threadId],
      );
      await store.adopt([]);
      assert.equal((await store.list({})).length, 1);
    },
  },
];

const IDLE = { status: "idle", pendingInput: null } as const;
const AT_REST = { status: "suspended" } as const;

/** The n-th sample thread as an export describes it: seven steps long, and unchanged since then. */
function copiedFacts(n: number, changes: Partial<ThreadFacts> = {}): ThreadFacts {
  return {
    ...sampleThread(n, { stepCount: 7, head: sampleHash(7), headSha256: sampleSha256(7) }),
    ...UNSET,
    updatedAt: 1_800_000_000_000,
    ...changes,
  };
}
