import assert from "node:assert/strict";
import type { Lease, Spent, Usage } from "@uncaged/workflow-protocol";
import { known, ownedThread, sampleHash, sampleId, sampleMove } from "./sample-threads.ts";
import type { ThreadStoreCase } from "./store-case.ts";

/** What runs used, by thread and in all. */
export const spentCases: readonly ThreadStoreCase[] = [
  {
    name: "adds up what a thread used, steps that were replaced and its end included",
    async run(store) {
      const lease = await ownedThread(store, 1);
      assert.equal((await known(store, lease.threadId)).usage, null);
      await store.advance({ ...sampleMove(lease, 1), spent: coder(usage(10, null)) });
      await store.advance({ ...after(lease, 1), kind: "replace", spent: coder(usage(5, 0.5)) });
      await store.advance({ ...after(lease, 2), spent: null });
      assert.deepEqual((await known(store, lease.threadId)).usage, usage(15, 0.5));
      const ending = { status: "failed", returnCode: 1, summary: "no" } as const;
      const spent = { ...coder({ ...usage(1, 0.25), estimated: true }), role: null };
      await store.finish({ ...after(lease, 3), ...ending, spent });
      const all = { ...usage(16, 0.75), estimated: true };
      assert.deepEqual((await known(store, lease.threadId)).usage, all);
      assert.deepEqual(await store.spent({ by: "workflow" }), [
        { key: "solve-issue", runs: 3, usage: all },
      ]);
    },
  },
  {
    name: "sums up by role, agent, model and day, the most expensive first and days in order",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const [monday, tuesday] = [Date.UTC(2026, 10, 23, 23, 59), Date.UTC(2026, 10, 24)];
      const planner: Spent = {
        role: "planner",
        agent: "a \0 b",
        model: null,
        usage: usage(9, null),
      };
      await store.advance({ ...sampleMove(lease, 1), nowMs: tuesday, spent: planner });
      await store.advance({ ...after(lease, 1), nowMs: monday, spent: coder(usage(1, 2)) });
      await store.advance({ ...after(lease, 2), nowMs: tuesday, spent: coder(usage(2, 1)) });
      const sums = async (
        by: "role" | "agent" | "model" | "day",
        sinceDay = "",
      ): Promise<unknown> =>
        (await store.spent({ by, sinceDay })).map(({ key, runs, usage: sum }) => [
          ...[key, runs, sum.inputTokens, sum.costUsd],
        ]);
      assert.deepEqual(await sums("role"), [
        ["coder", 2, 3, 3],
        ["planner", 1, 9, null],
      ]);
      assert.deepEqual(await sums("agent"), [
        ["claude", 2, 3, 3],
        ["a   b", 1, 9, null],
      ]);
      assert.deepEqual(await sums("model"), [
        ["opus", 2, 3, 3],
        [null, 1, 9, null],
      ]);
      assert.deepEqual(await sums("day"), [
        ["2026-11-23", 1, 1, 2],
        ["2026-11-24", 2, 11, 1],
      ]);
      assert.deepEqual(await sums("role", "2026-11-24"), [
        ["coder", 1, 2, 1],
        ["planner", 1, 9, null],
      ]);
      assert.deepEqual(await sums("role", "2026-11-25"), []);
    },
  },
  {
    name: "books nothing for a refused move, and keeps the books of removed threads",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const late = { ...sampleMove(lease, 1), fence: lease.fence + 1, spent: coder(usage(1, 1)) };
      await assert.rejects(store.advance(late));
      assert.deepEqual(await store.spent({ by: "role" }), []);
      await store.advance({ ...sampleMove(lease, 1), spent: coder(usage(7, 1)) });
      await store.release({ ...lease, nowMs: 3, to: { status: "idle" } });
      await store.remove({ threadId: sampleId(1), replaces: null, nowMs: 4 });
      const expected = { key: "coder", runs: 1, usage: usage(7, 1) };
      assert.deepEqual(await store.spent({ by: "role" }), [expected]);
    },
  },
];

function usage(inputTokens: number, costUsd: number | null): Usage {
  return { inputTokens, outputTokens: 2 * inputTokens, cachedInputTokens: 0, costUsd };
}

function coder(used: Usage): Spent {
  return { role: "coder", agent: "claude", model: "opus", usage: used };
}

/** The move to the step after the n-th. */
function after(lease: Lease, n: number): ReturnType<typeof sampleMove> {
  return { ...sampleMove(lease, n + 1), from: sampleHash(n) };
}
