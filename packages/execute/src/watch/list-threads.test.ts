import { memoryThreadStore } from "@uncaged/workflow-store";
import { expect, it } from "vitest";
import { listThreads } from "./list-threads.ts";

const HASH = "EYHPV6X8XHTCS";

/** Threads that were created at 100, 200, 300 and so on. */
async function threadsOf(count: number) {
  const store = memoryThreadStore();
  for (let at = 1; at <= count; at += 1) {
    await store.create(
      {
        ...{
          threadId: `01M7Z9WNCVHA4DP8Y98${String(at).padStart(7, "0")}`,
          workflow: "steps",
          bundleHash: HASH,
        },
        ...{ startHash: HASH, head: HASH, headSha256: "0".repeat(64), stepCount: 0, depth: 0 },
        ...{ parentThread: null, cwd: "/", forkedFrom: null, startedAt: 1, createdAt: at * 100 },
      },
      null,
    );
  }
  return { store, now: () => 1_000 };
}

it("lists those made since a time, and no more than the limit of them", async () => {
  const engine = await threadsOf(3);
  const made = async (filter: Parameters<typeof listThreads>[1]): Promise<number[]> =>
    (await listThreads(engine, filter)).map(({ createdAt }) => createdAt);
  expect(await made({})).toEqual([300, 200, 100]);
  expect(await made({ sinceMs: 200 })).toEqual([300, 200]);
  expect(await made({ sinceMs: 200, limit: 1 })).toEqual([300]);
  expect(await made({ sinceMs: 301, limit: 2 })).toEqual([]);
});

it("lists as many as were made since then, however many others there are", async () => {
  const engine = await threadsOf(1_000);
  for (const [sinceMs, count] of [
    [0, 1_000],
    [90_000, 101],
    [74_500, 256],
    [74_400, 257],
    [20_000, 801],
  ] as const) {
    expect(await listThreads(engine, { sinceMs })).toHaveLength(count);
    expect(await listThreads(engine, { sinceMs, limit: 300 })).toHaveLength(Math.min(count, 300));
  }
});
