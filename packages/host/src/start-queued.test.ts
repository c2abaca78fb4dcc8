import type { RunnerReport } from "@uncaged/workflow-execute";
import {
  DEFAULT_POOL,
  type Dispatch,
  failure,
  NO_LIMITS,
  type ThreadStore,
  type Workers,
} from "@uncaged/workflow-protocol";
import { memoryIndex } from "@uncaged/workflow-store";
import { newThreadId, ownIdentity } from "@uncaged/workflow-util";
import { beforeEach, expect, it } from "vitest";
import { type QueueStarter, queueStarter } from "./start-queued.ts";
import { threadsElsewhere } from "./threads-elsewhere.ts";

const HASH = "0".repeat(13);
const NOW = 1_000_000;

let store: ThreadStore;
let dispatch: Dispatch;
let workers: Workers;
let queue: QueueStarter;
let starterOf: (isShared: boolean) => QueueStarter;
let said: string[];
/** Threads that a worker is about to take, and how that ends. */
let carried: Map<string, (report: RunnerReport | null) => void>;
let resting: string | null;
let monotonicMs: number;

beforeEach(async () => {
  ({ threads: store, dispatch, workers } = memoryIndex());
  carried = new Map();
  said = [];
  resting = null;
  monotonicMs = 0;
  const carrier = {
    carry: (threadId: string) => {
      const { promise, resolve } = Promise.withResolvers<RunnerReport | null>();
      carried.set(threadId, resolve);
      return promise.finally(() => carried.delete(threadId));
    },
    onTheWay: () => [...carried.keys()],
    restsBecause: () => resting,
  };
  const pools = [DEFAULT_POOL];
  const facts = { pools, labels: [], atOnce: null, version: "1", host: "here" };
  await workers.beat({ worker: "here", process: ownIdentity(), ...facts, nowMs: NOW });
  starterOf = (isShared) =>
    queueStarter({ store, dispatch, now: () => NOW }, carrier, {
      ...{ worker: "here", takesAll: true, isShared },
      say: (line) => said.push(line),
      elsewhere: threadsElsewhere(() => monotonicMs),
    });
  queue = starterOf(false);
});

let made = 0;
async function thread(priority = 0): Promise<string> {
  const threadId = newThreadId(NOW + made);
  made += 1;
  await store.create(
    {
      ...{ threadId, workflow: "sample", bundleHash: HASH, startHash: HASH, head: HASH },
      ...{ headSha256: "0".repeat(64), stepCount: 0, depth: 0, parentThread: null, cwd: "/" },
      ...{ forkedFrom: null, startedAt: NOW, createdAt: NOW + made, priority },
    },
    null,
  );
  return threadId;
}

async function queued(priority = 0): Promise<string> {
  const threadId = await thread(priority);
  await dispatch.want({ threadId, replaces: null, for: [], notBefore: null, nowMs: NOW });
  return threadId;
}

/** As a worker does that has taken the thread. */
async function took(threadId: string): Promise<void> {
  const process = ownIdentity();
  await store.acquire({
    ...{ threadId, process, ttlMs: 15_000, nowMs: NOW, replaces: null },
    room: "or queue",
  });
  carried.get(threadId)?.({ kind: "ready" });
}

const statusOf = async (threadId: string) => (await store.get(threadId))?.status;

it("one pass starts what there is room for, each thread once", async () => {
  await dispatch.limit({ ...NO_LIMITS, threads: 2 });
  const [first, second, third] = [await queued(), await queued(), await queued()];
  await Promise.all([queue.look(), queue.look()]);
  await queue.look();
  expect([...carried.keys()]).toEqual([first, second]);
  await took(first);
  await queue.look();
  expect([...carried.keys()]).toEqual([second]);
  await dispatch.limit({ ...NO_LIMITS, threads: 3 });
  await queue.look();
  expect([...carried.keys()]).toEqual([second, third]);
});

it("one whose files are on another machine stays in the queue, and is not asked for at each look", async () => {
  const apart = await queued();
  await queue.look();
  const reason = failure("WORKSPACE_ELSEWHERE", "its files are on ada", "");
  carried.get(apart)?.({ kind: "failed", failure: reason });
  await expect.poll(() => carried.size).toBe(0);
  await queue.look();
  expect(carried.size).toBe(0);
  expect([await statusOf(apart), said]).toEqual(["queued", []]);
  await dispatch.limit({ ...NO_LIMITS, threads: 1 });
  const behind = await queued();
  await queue.look();
  expect([...carried.keys()]).toEqual([behind]);
  await dispatch.limit(NO_LIMITS);
  await took(behind);
  monotonicMs += 30_000;
  await queue.look();
  expect([...carried.keys()]).toEqual([apart]);
});

it("a thread that is handed over does not pass those that wait", async () => {
  await dispatch.limit({ ...NO_LIMITS, threads: 1 });
  const before = await queued();
  const other = await thread();
  const answer = await queue.run(other);
  expect(answer).toMatchObject({ kind: "failed", failure: { code: "LIMIT_REACHED" } });
  expect(await statusOf(other)).toBe("queued");
  expect([...carried.keys()]).toEqual([before]);
});

it("one with a higher priority starts first, and its caller is told that it runs", async () => {
  await dispatch.limit({ ...NO_LIMITS, threads: 1 });
  await queued();
  const urgent = await thread(1);
  const answer = queue.run(urgent);
  await expect.poll(() => carried.has(urgent)).toBe(true);
  await took(urgent);
  expect(await answer).toEqual({ kind: "ready" });
});

it("one that was told to end does so, whoever waits", async () => {
  await dispatch.limit({ ...NO_LIMITS, threads: 1 });
  await queued();
  const ending = await thread();
  await store.signal(ending, "kill", NOW);
  void queue.run(ending);
  await expect.poll(() => carried.has(ending)).toBe(true);
});

it("where nothing is limited a thread does not see the queue", async () => {
  const threadId = await thread();
  void queue.run(threadId);
  await expect.poll(() => carried.has(threadId)).toBe(true);
  expect(await statusOf(threadId)).toBe("idle");
});

it("a thread that cannot be started leaves the queue, one that found no room stays", async () => {
  const [broken, full, tired] = [await queued(), await queued(), await queued()];
  await queue.look();
  const missing = failure("STORAGE_FAILED", "the disk is full", "");
  carried.get(broken)?.({ kind: "failed", failure: failure("CONFIG_INVALID", "misspelt", "") });
  carried.get(full)?.({ kind: "failed", failure: failure("LIMIT_REACHED", "full", "") });
  resting = "its worker ended 3 times";
  carried.get(tired)?.(null);
  await expect.poll(() => statusOf(broken)).toBe("idle");
  await expect.poll(() => statusOf(tired)).toBe("idle");
  expect(await statusOf(full)).toBe("queued");
  expect(said.join("\n")).toContain("misspelt");
  expect(said.join("\n")).toContain("3 times");
  // Storage may work again at the next look.
  await queue.look();
  carried.get(full)?.({ kind: "failed", failure: missing });
  await expect.poll(() => carried.size).toBe(0);
  expect(await statusOf(full)).toBe("queued");
});

it("a bundle that this machine cannot load is left to other workers of a shared root", async () => {
  const shared = starterOf(true);
  const [strange, broken, other] = [await queued(), await queued(), await queued()];
  await shared.look();
  const strangers = failure("EXTERNALS_CHANGED", "zod is another version", "");
  carried.get(strange)?.({ kind: "failed", failure: strangers });
  carried.get(broken)?.({ kind: "failed", failure: failure("CONFIG_INVALID", "misspelt", "") });
  carried.get(other)?.({ kind: "failed", failure: failure("LIMIT_REACHED", "full", "") });
  await expect.poll(() => statusOf(broken)).toBe("idle");
  expect(await statusOf(strange)).toBe("queued");
  expect(said.join("\n")).toContain("left to other workers");
  await shared.look();
  expect([...carried.keys()]).toEqual([other]);
});
