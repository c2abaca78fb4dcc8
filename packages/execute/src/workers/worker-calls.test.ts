/** Workers of one coordinator side by side, on the store in memory: what all of them use together. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatch, Lease, ThreadStore, Usage } from "@uncaged/workflow-protocol";
import { memoryIndex } from "@uncaged/workflow-store";
import { ownIdentity } from "@uncaged/workflow-util";
import { beforeEach, describe, expect, it } from "vitest";
import { workerCalls } from "./worker-calls.ts";

const HASH = "0".repeat(13);
const LEAD = "01KAJ2Z6PVX000000000000000";
const TTL_MS = 60_000;
const usage = (inputTokens: number): Usage => ({
  ...{ inputTokens, outputTokens: 0, cachedInputTokens: 0, costUsd: null },
});

let threads: ThreadStore;
let dispatch: Dispatch;
let nowMs: number;
const stop = new AbortController();

beforeEach(async () => {
  ({ threads, dispatch } = memoryIndex());
  nowMs = 1_000;
  await thread(LEAD, null);
  await acquire(LEAD);
});

async function thread(threadId: string, parentThread: string | null): Promise<void> {
  await threads.create(
    {
      ...{ threadId, workflow: "sample", bundleHash: HASH, startHash: HASH, head: HASH },
      ...{ headSha256: "0".repeat(64), stepCount: 0, depth: 0, parentThread, cwd: "/" },
      ...{ forkedFrom: null, startedAt: 1, createdAt: 1 },
    },
    null,
  );
}

function acquire(threadId: string, replaces: number | null = null): Promise<Lease> {
  return threads.acquire({ threadId, process: ownIdentity(), ttlMs: TTL_MS, nowMs, replaces });
}

function callsOf(owner: Lease, lost: Usage[] = []) {
  return workerCalls({ dispatch, now: () => nowMs }, owner, {
    ...{ lost, whileWaiting: (wait) => wait(), tell: () => undefined, signal: stop.signal },
  });
}

const share = (tokens: number) =>
  dispatch.shareBudget({ threadId: LEAD, step: 0, budget: { tokens, costUsd: null }, workers: [] });

/** Publishes a step, as its owner does, and then says that the call has ended. */
async function ended(owner: Lease, calls: ReturnType<typeof callsOf>, tokens: number) {
  const { head, stepCount } = (await threads.get(owner.threadId)) ?? { head: "", stepCount: 0 };
  await threads.advance({
    ...{ kind: "append", threadId: owner.threadId, fence: owner.fence, from: head, nowMs },
    to: `C${String(stepCount + 1).padStart(12, "0")}`,
    toSha256: "0".repeat(64),
    spent: { role: "hand", agent: "a", model: null, usage: usage(tokens) },
  });
  await calls.end(undefined, usage(tokens));
}

describe("five workers at once", () => {
  it.each([
    { budget: 150, sizes: [40] },
    { budget: 250, sizes: [100, 10] },
    { budget: 101, sizes: [100, 60, 10] },
  ])(
    "exceed a budget of $budget by no more than one call, with calls of $sizes",
    async ({ budget, sizes }) => {
      await share(budget);
      let used = 0;
      let atOnce = 0;
      let most = 0;
      const work = async (n: number): Promise<void> => {
        const threadId = `01KAJ2Z6PVX00000000000000${n}`;
        await thread(threadId, LEAD);
        const owner = await acquire(threadId);
        const calls = callsOf(owner);
        for (let step = 0; ; step += 1) {
          await calls.begin(undefined);
          atOnce += 1;
          most = Math.max(most, atOnce);
          await sleep(5 * n);
          const tokens = sizes[(n - 1 + step) % sizes.length] ?? 0;
          used += tokens;
          atOnce -= 1;
          await ended(owner, calls, tokens);
        }
      };
      const all = await Promise.allSettled([1, 2, 3, 4, 5].map(work));
      for (const each of all)
        expect(each).toMatchObject({
          status: "rejected",
          reason: {
            failure: {
              code: "LIMIT_REACHED",
              message: expect.stringContaining(`of ${budget} tokens`),
            },
          },
        });
      expect(used).toBeGreaterThanOrEqual(budget);
      expect(used).toBeLessThan(budget + Math.max(...sizes));
      expect(most).toBeLessThanOrEqual(5);
    },
  );

  it("run side by side while there is enough for all", async () => {
    await share(1_000);
    const owners = [];
    for (const n of [1, 2, 3, 4, 5]) {
      await thread(`01KAJ2Z6PVX00000000000000${n}`, LEAD);
      owners.push(await acquire(`01KAJ2Z6PVX00000000000000${n}`));
    }
    const [first, ...others] = owners.map((owner) => ({ owner, calls: callsOf(owner) }));
    if (first === undefined) throw new Error("nobody");
    await first.calls.begin(undefined);
    await ended(first.owner, first.calls, 50);
    await Promise.all(others.map(({ calls }) => calls.begin(undefined)));
  });
});

it("what a killed worker had reported counts, and its call ends with its lease", async () => {
  await share(100);
  const [one, two] = ["1", "2"].map((n) => `01KAJ2Z6PVX00000000000000${n}`);
  if (one === undefined || two === undefined) throw new Error("nobody");
  await thread(one, LEAD);
  await thread(two, LEAD);
  const killed = callsOf(await acquire(one));
  await killed.begin(undefined);
  killed.note(undefined, usage(60));
  killed.note(undefined, usage(30));
  nowMs += TTL_MS;
  const other = callsOf(await acquire(two));
  await other.begin(undefined);
  const again = await acquire(one, 1);
  const resumed = callsOf(again, [usage(90)]);
  const waits = resumed.begin(undefined);
  await expect(Promise.race([waits, sleep(50, "waits")])).resolves.toBe("waits");
  await other.end(undefined, usage(5));
  await waits;
});
