import assert from "node:assert/strict";
import {
  type Lease,
  type NewThread,
  NO_LIMITS,
  type ThreadStore,
  WORKER_GONE_MS,
  WORKER_STALE_MS,
  type WorkerFacts,
} from "@uncaged/workflow-protocol";
import type { DispatchCase, DispatchHarness } from "./dispatch-cases.ts";
import { refuses } from "./refuses.ts";
import {
  known,
  sampleId,
  sampleMove,
  sampleProcess,
  sampleThread,
  TTL_MS,
} from "./sample-threads.ts";

export const workerCases: readonly DispatchCase[] = [
  {
    name: "offers a worker the threads of its pools whose labels it has, and no others",
    async run(harness) {
      await beats(harness, sampleWorker("a"), sampleWorker("g", { pools: ["gpu", "big"] }));
      await beats(harness, sampleWorker("l", { labels: ["linux", "repo:x"] }));
      await queued(harness.threads, 1, {});
      await queued(harness.threads, 2, { pool: "gpu" });
      await queued(harness.threads, 3, { needs: ["linux"] });
      await queued(harness.threads, 4, { pool: "big", needs: ["linux"] });
      await queued(harness.threads, 5, { needs: ["linux", "repo:x"] });
      const { dispatch } = harness;
      const nextOf = (worker: string) => dispatch.next({ besides: [], nowMs: 0, worker });
      assert.deepEqual(await nextOf("a"), [sampleId(1)]);
      assert.deepEqual(await nextOf("g"), [sampleId(2)]);
      assert.deepEqual(await nextOf("l"), [sampleId(1), sampleId(3), sampleId(5)]);
      assert.deepEqual(await nextOf("nobody"), []);
      const except = [sampleId(1), sampleId(5)];
      const others = await dispatch.next({ besides: [], nowMs: 0, worker: "l", except });
      assert.deepEqual(others, [sampleId(3)]);
      const all = await dispatch.next({ besides: [], nowMs: 0 });
      assert.deepEqual(all, [1, 2, 3, 4, 5].map(sampleId));
    },
  },
  {
    name: "keeps the pool of a thread and what it needs",
    async run({ threads }) {
      const { thread } = await threads.create(
        sampleThread(1, { pool: "gpu", needs: ["a", "b"] }),
        null,
      );
      assert.deepEqual([thread.pool, thread.needs], ["gpu", ["a", "b"]]);
      await threads.create(sampleThread(2), null);
      const { pool, needs } = await known(threads, sampleId(2));
      assert.deepEqual([pool, needs], ["default", []]);
    },
  },
  {
    name: "refuses a lease to a worker that does not serve the thread, and queues the thread for one that does",
    async run(harness) {
      const { threads } = harness;
      await beats(harness, sampleWorker("a"), sampleWorker("g", { pools: ["gpu"] }));
      await threads.create(sampleThread(1, { pool: "gpu" }), null);
      await threads.create(sampleThread(2, { needs: ["linux"] }), null);
      await refuses(take(threads, 1, "a"), "LIMIT_REACHED", sampleId(1), "pool gpu");
      await refuses(take(threads, 2, "a"), "LIMIT_REACHED", "label linux");
      const thread = await known(threads, sampleId(1));
      assert.ok(thread.status === "queued");
      assert.deepEqual(thread.queue.for, ["pool:gpu"]);
      // A runner of no worker serves the default pool.
      await refuses(take(threads, 1, null), "LIMIT_REACHED", "pool gpu");
      const lease = await take(threads, 1, "g");
      assert.deepEqual(
        (await harness.workers.list(0)).map(({ threads: ids }) => ids),
        [[], [lease.threadId]],
      );
    },
  },
  {
    name: "gives any thread to whom a person chose for it",
    async run({ threads }) {
      await threads.create(sampleThread(1, { pool: "gpu", needs: ["linux"] }), null);
      await threads.acquire({ ...acquisition(1), room: "or nothing" });
      assert.equal((await known(threads, sampleId(1))).status, "running");
    },
  },
  {
    name: "gives a worker as many threads at once as it said; one that waits does not count",
    async run(harness) {
      const { threads, dispatch } = harness;
      await beats(harness, sampleWorker("a", { atOnce: 1 }), sampleWorker("b"));
      for (const n of [1, 2, 3]) await queued(threads, n, {});
      const nextOf = (besides: readonly number[]) =>
        dispatch.next({ besides: besides.map(sampleId), nowMs: 0, worker: "a" });
      assert.deepEqual(await nextOf([]), [sampleId(1)]);
      assert.deepEqual(await nextOf([1]), []);
      const first = await take(threads, 1, "a");
      assert.deepEqual(await nextOf([]), []);
      await refuses(take(threads, 2, "a"), "LIMIT_REACHED", "a worker with room");
      await dispatch.lend(first);
      assert.deepEqual(await nextOf([]), [sampleId(2)]);
      const second = await take(threads, 2, "a");
      assert.equal(await dispatch.takeBack({ ...first, nowMs: 1 }), false);
      assert.deepEqual(await nextOf([]), []);
      await threads.release({ ...second, nowMs: 1, to: { status: "idle" } });
      assert.equal(await dispatch.takeBack({ ...first, nowMs: 1 }), true);
      await take(threads, 3, "b");
    },
  },
  {
    name: "gives a worker that drains nothing new",
    async run(harness) {
      const { threads, dispatch, workers } = harness;
      await beats(harness, sampleWorker("a"), sampleWorker("b"));
      await queued(threads, 1, {});
      await queued(threads, 2, {});
      const lease = await take(threads, 2, "a");
      assert.equal(await workers.drain({ worker: "a", nowMs: 5 }), true);
      assert.equal(await workers.drain({ worker: "a", nowMs: 6 }), true);
      assert.equal(await workers.drain({ worker: "nobody", nowMs: 5 }), false);
      assert.deepEqual(await dispatch.next({ besides: [], nowMs: 6, worker: "a" }), []);
      await refuses(take(threads, 1, "a"), "LIMIT_REACHED", "a worker with room");
      assert.equal(await workers.beat({ ...sampleWorker("a"), nowMs: 7 }), true);
      assert.equal(await workers.beat({ ...sampleWorker("b"), nowMs: 7 }), false);
      const [a, b] = await workers.list(7);
      assert.deepEqual([a?.drainingAt, b?.drainingAt], [5, null]);
      // What it runs, it may publish and hand over.
      await threads.advance(sampleMove(lease, 1));
      const queue = { since: 8, for: [], notBefore: null };
      await threads.release({ ...lease, nowMs: 8, to: { status: "queued", queue } });
      assert.deepEqual(await dispatch.next({ besides: [], nowMs: 8, worker: "b" }), [
        sampleId(1),
        sampleId(2),
      ]);
    },
  },
  {
    name: "lists workers with what they said, marks the silent ones, and forgets those that are gone",
    async run(harness) {
      const { threads, workers } = harness;
      const facts = sampleWorker("a", { labels: ["linux"], atOnce: 3 });
      await workers.beat({ ...facts, nowMs: 10 });
      await workers.beat({ ...sampleWorker("b"), nowMs: 20 });
      await threads.create(sampleThread(1), null);
      const lease = await take(threads, 1, "a");
      await workers.beat({ ...facts, nowMs: 30 });
      const [a, b] = await workers.list(20 + WORKER_STALE_MS);
      const times = { startedAt: 10, seenAt: 30, drainingAt: null };
      assert.deepEqual(a, { ...facts, ...times, stale: false, threads: [sampleId(1)] });
      assert.equal(b?.stale, true);
      await threads.release({ ...lease, nowMs: 31, to: { status: "idle" } });
      assert.deepEqual((await workers.list(31))[0]?.threads, []);
      await workers.beat({ ...facts, nowMs: 21 + WORKER_GONE_MS });
      assert.deepEqual(
        (await workers.list(0)).map(({ worker }) => worker),
        ["a"],
      );
      await workers.remove("a");
      assert.deepEqual(await workers.list(0), []);
    },
  },
  {
    name: "counts the limits of the root and of a worker together",
    async run(harness) {
      const { threads, dispatch } = harness;
      await dispatch.limit({ ...NO_LIMITS, threads: 1 });
      await beats(harness, sampleWorker("a"), sampleWorker("g", { pools: ["gpu"] }));
      await threads.create(sampleThread(1), null);
      await queued(threads, 2, { pool: "gpu" });
      const lease = await take(threads, 1, "a");
      assert.deepEqual(await dispatch.next({ besides: [], nowMs: 0, worker: "g" }), []);
      await threads.release({ ...lease, nowMs: 1, to: { status: "idle" } });
      await take(threads, 2, "g");
    },
  },
];

function sampleWorker(worker: string, changes: Partial<WorkerFacts> = {}): WorkerFacts {
  return {
    worker,
    process: sampleProcess(100),
    host: "laptop",
    pools: ["default"],
    labels: [],
    atOnce: null,
    version: "1.2.3",
    ...changes,
  };
}

async function beats({ workers }: DispatchHarness, ...facts: WorkerFacts[]): Promise<void> {
  for (const each of facts) await workers.beat({ ...each, nowMs: 0 });
}

async function queued(threads: ThreadStore, n: number, changes: Partial<NewThread>): Promise<void> {
  await threads.create(sampleThread(n, { ...changes, queue: { notBefore: null } }), null);
}

function take(threads: ThreadStore, n: number, worker: string | null): Promise<Lease> {
  return threads.acquire({ ...acquisition(n), room: "or queue", worker });
}

function acquisition(n: number) {
  const at = { ttlMs: TTL_MS, nowMs: 0, replaces: null };
  return { threadId: sampleId(n), process: sampleProcess(100), ...at };
}
