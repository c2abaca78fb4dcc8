/** What the suites of one client at a time do not show: clocks, broken connections, several clients, roles. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Lease, NewThread, ProcessIdentity } from "@uncaged/workflow-protocol";
import { NO_LIMITS } from "@uncaged/workflow-protocol";
import type { Index } from "@uncaged/workflow-store";
import pg from "pg";
import { expect, test } from "vitest";
import { openDatabase } from "../database/database.ts";
import { startEmbeddedServer, stopEmbeddedServer } from "../server/embedded-server.ts";
import { cuttingProxy } from "../testing/cutting-proxy.test.helper.ts";
import { emptyRoot } from "../testing/empty-root.test.helper.ts";
import { testRoot } from "../testing/test-root.ts";
import { openPostgresIndex, openPostgresTasks } from "./open-index.ts";

const TTL_MS = 15_000;

test("a clock that is a minute off, either way, steals no lease and keeps none", async () => {
  const { threads } = await openPostgresIndex(await testRoot());
  const { thread } = await threads.create(threadNo(1), null);
  const at = { threadId: thread.threadId, ttlMs: TTL_MS, replaces: null };
  for (const skewMs of [-60_000, 60_000]) {
    const nowMs = Date.now() + skewMs;
    const lease = await threads.acquire({ ...at, process: processNo(1), nowMs });
    expect(Math.abs(lease.expiresAt - Date.now() - TTL_MS)).toBeLessThan(10_000);
    for (const otherMs of [-60_000, 0, 60_000]) {
      const late = { ...at, process: processNo(2), nowMs: Date.now() + otherMs };
      await expect(threads.acquire(late)).rejects.toMatchObject({
        failure: { code: "LEASE_HELD" },
      });
    }
    const leases = [lease];
    expect(await threads.renew({ leases, ttlMs: 1, nowMs: nowMs + 2 })).toEqual([[]]);
    const slow = { ...at, process: processNo(2), nowMs: Date.now() - 60_000 };
    const second = await threads.acquire(slow);
    expect(second.fence).toBe(lease.fence + 1);
    const rest = { ...second, nowMs, to: { status: "idle" } } as const;
    await threads.release(rest);
  }
  await threads.close();
});

test("a request or an answer that is lost, at any message, is done once", async () => {
  const { url, root } = await testRoot();
  const proxy = await cuttingProxy(url);
  const life = (begin: () => void) => lifeIn({ url: proxy.url, root }, begin);
  const undisturbed = await life(() => proxy.cutAt(0, "request"));
  const count = proxy.messages();
  expect(count).toBeGreaterThan(20);
  // A lost request is the simpler case.
  for (const [lost, each] of [["answer", 1] as const, ["request", 5] as const])
    for (let message = 1; message <= count; message += each) {
      await emptyRoot({ url, root });
      const found = await life(() => proxy.cutAt(message, lost));
      expect(found, `${lost} ${message}`).toEqual(undisturbed);
    }
  await proxy.close();
}, 120_000);

test("a request that is lost is done, also when the answer to whether it was done is lost", async () => {
  const { url, root } = await testRoot();
  const proxy = await cuttingProxy(url);
  const { threads } = await openPostgresIndex({ url: proxy.url, root });
  proxy.cutAt(0, "request");
  await threads.create(threadNo(0), null);
  const count = proxy.messages();
  let no = 0;
  // The question comes after those that begin the next connection.
  for (let message = 1; message <= count; message += 1)
    for (let later = 1; later <= 6; later += 1) {
      no += 1;
      proxy.cutAt(message, "request", message + later);
      await threads.create(threadNo(no), null);
      const found = await threads.get(threadNo(no).threadId);
      expect(found, `${message} and ${message + later}`).not.toBeNull();
    }
  await threads.close();
  await proxy.close();
}, 60_000);

test("a server that is killed and comes back loses nothing, and does nothing twice", async () => {
  const parent = mkdtempSync(join(tmpdir(), "uwf-restart-"));
  chmodSync(parent, 0o711);
  const folder = join(parent, "postgres");
  try {
    const proxy = await cuttingProxy((await startEmbeddedServer({ folder })).url);
    const index = await openPostgresIndex({ url: proxy.url, root: "team" });
    const leases = await Promise.all([1, 2, 3, 4].map((no) => owned(index, no)));
    const all = Promise.all(leases.map((lease) => steps(index, lease, 30)));
    await stopEmbeddedServer({ folder });
    proxy.leadTo((await startEmbeddedServer({ folder })).url);
    await all;
    const found = await index.threads.list({});
    expect(found.map(({ stepCount }) => stepCount)).toEqual([30, 30, 30, 30]);
    expect(await index.threads.spent({ by: "role" })).toMatchObject([{ runs: 120 }]);
    expect(await index.blobs.list()).toHaveLength(120);
    await index.threads.close();
    await proxy.close();
  } finally {
    await stopEmbeddedServer({ folder });
    rmSync(parent, { recursive: true, force: true });
  }
}, 120_000);

test("steps of many threads share statements, and a refused one is refused alone", async () => {
  const { url, root } = await testRoot();
  const proxy = await cuttingProxy(url);
  const index = await openPostgresIndex({ url: proxy.url, root });
  const leases: Lease[] = [];
  for (let no = 0; no < 32; no += 1) leases.push(await owned(index, no));
  const write = (lease: Lease, no: number, text: string) => {
    const row = { hash: hashNo(no), bytes: Buffer.from(text) };
    return index.blobs.write({ rows: [row], replacing: [], move: moveNo(lease, 1) });
  };
  await index.blobs.write({
    rows: [{ hash: hashNo(9_001), bytes: Buffer.from("other") }],
    replacing: [],
    move: null,
  });
  await index.threads.signal(leases[3]?.threadId ?? "", "pause", 1);
  proxy.cutAt(0, "request");
  const stale = leases.map((lease, no) => (no === 1 ? { ...lease, fence: 7 } : lease));
  const all = await Promise.allSettled(
    stale.map((lease, no) => write(lease, 9_000 + (no === 2 ? 1 : 100 + no), `step ${no}`)),
  );
  // One statement for all, and the operations of the two that were left out.
  expect(proxy.messages()).toBeLessThan(40);
  for (const [no, each] of all.entries()) {
    if (no === 1) expect(each).toMatchObject({ reason: { failure: { code: "LEASE_LOST" } } });
    else if (no === 2) expect(each).toMatchObject({ value: { kind: "differs" } });
    else expect(each).toMatchObject({ value: { signals: no === 3 ? ["pause"] : [] } });
  }
  const found = await index.threads.list({});
  expect(found.map(({ stepCount }) => stepCount)).toEqual(
    Array.from({ length: 32 }, (_, at) => (at === 29 || at === 30 ? 0 : 1)),
  );
  expect(await index.threads.spent({ by: "role" })).toMatchObject([{ runs: 30 }]);
  await index.threads.close();
  await proxy.close();
});

test("clients that open an empty root at the same moment all succeed", async () => {
  const root = await testRoot();
  const indexes = await Promise.all([1, 2, 3, 4].map(() => openPostgresIndex(root)));
  await Promise.all(indexes.map(({ threads }, no) => threads.create(threadNo(no), null)));
  for (const { threads } of indexes) {
    expect(await threads.list({})).toHaveLength(4);
    await threads.close();
  }
});

test("a client that stops in the middle of a transaction holds up the others for a few seconds only", async () => {
  const root = await testRoot();
  const stopped = await openDatabase(root);
  const { threads } = await openPostgresIndex(root);
  let times = 0;
  const holds = Promise.withResolvers<void>();
  const wakesUp = Promise.withResolvers<void>();
  const transaction = stopped.transaction("stop", "exclusive", async ({ query }) => {
    times += 1;
    holds.resolve();
    await wakesUp.promise;
    return (await query({ text: "SELECT 1" })).changes;
  });
  await holds.promise;
  expect((await threads.create(threadNo(1), null)).created).toBe(true);
  wakesUp.resolve();
  // What it had begun is gone, and is done again.
  expect(await transaction).toBe(1);
  expect(times).toBe(2);
  await stopped.close();
  await threads.close();
}, 60_000);

test("a client goes on when a later version gives a table another column", async () => {
  const { url, root } = await testRoot();
  const tasks = await openPostgresTasks({ url, root });
  expect(await tasks.list(null)).toEqual([]);
  const later = new pg.Client({ connectionString: url });
  await later.connect();
  await later.query(`ALTER TABLE uncaged_${root}.tasks ADD COLUMN more text`);
  await later.end();
  expect(await tasks.list(null)).toEqual([]);
  await tasks.close();
});

test("several clients exceed no limit", async () => {
  const root = await testRoot();
  const indexes = await Promise.all([1, 2, 3].map(() => openPostgresIndex(root)));
  const [{ threads, dispatch }] = indexes as [Index, Index, Index];
  await dispatch.limit({ ...NO_LIMITS, threads: 3, agents: { coder: 2 } });
  for (let no = 0; no < 12; no += 1) await threads.create(threadNo(no), null);
  const taken = await Promise.all(
    Array.from({ length: 12 }, async (_, no) => {
      const index = indexes[no % 3] ?? indexes[0];
      const request = { ...at(no), process: processNo(no), room: "or nothing" } as const;
      const lease = await index?.threads.acquire(request).catch(() => null);
      return lease == null ? null : { index, lease };
    }),
  );
  const running = taken.filter((each) => each !== null);
  expect(running).toHaveLength(3);
  const runs = await Promise.all(
    running.map(({ index, lease }) =>
      index?.dispatch.take({ ...lease, part: "1", agent: "coder", nowMs: Date.now() }),
    ),
  );
  expect(runs.filter((each) => each?.ok)).toHaveLength(2);
  for (const index of indexes) await index.threads.close();
});

test("a role sees its own root alone", async () => {
  const { url, root } = await testRoot();
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const roots = [`${root}a`, `${root}b`] as const;
  for (const each of roots)
    await admin.query(
      `CREATE ROLE ${each} LOGIN PASSWORD 'secret'; CREATE SCHEMA uncaged_${each} AUTHORIZATION ${each}`,
    );
  await admin.end();
  const as = (role: string): string => {
    const own = new URL(url);
    own.username = role;
    own.password = "secret";
    return own.href;
  };
  const [mine, theirs] = roots;
  const index = await openPostgresIndex({ url: as(mine), root: mine });
  await index.threads.create(threadNo(1), null);
  const other = await openPostgresIndex({ url: as(theirs), root: theirs });
  expect(await other.threads.list({})).toEqual([]);
  const foreign = openPostgresIndex({ url: as(theirs), root: mine });
  await expect(foreign).rejects.toMatchObject({ failure: { code: "STORAGE_FAILED" } });
  await index.threads.close();
  await other.threads.close();
});

/** The life of a thread; returns what is there in the end. */
async function lifeIn(place: { url: string; root: string }, begin: () => void): Promise<unknown> {
  const index = await openPostgresIndex({ ...place, clock: (nowMs) => nowMs });
  const { threads, blobs, dispatch } = index;
  begin();
  const first = await owned(index, 1, 1);
  await threads.signal(first.threadId, "pause", 2);
  const bytes = Buffer.from("one");
  const step = { rows: [{ hash: hashNo(1), bytes }], replacing: [], move: moveNo(first, 1) };
  const published = await blobs.write(step);
  const renewed = await threads.renew({ leases: [first], ttlMs: TTL_MS, nowMs: 5 });
  const paused = await threads.release({ ...first, nowMs: 6, to: { status: "paused" } });
  await threads.clearSignal(first.threadId, "pause");
  await dispatch.want({ ...at(1), for: [], notBefore: null, nowMs: 7 });
  const second = await threads.acquire({ ...at(1), process: processNo(1), nowMs: 8 });
  const end = { status: "completed", returnCode: 0, summary: "done" } as const;
  await threads.finish({ ...moveNo(second, 2), ...end });
  const found = [await threads.list({}), await threads.history(), await blobs.list()];
  const spent = await threads.spent({ by: "role" });
  await threads.close();
  return [published, renewed, paused, second, found, spent];
}

async function owned(index: Index, no: number, nowMs = Date.now()): Promise<Lease> {
  await index.threads.create(threadNo(no), null);
  return index.threads.acquire({ ...at(no), process: processNo(no), nowMs });
}

async function steps(index: Index, lease: Lease, count: number): Promise<void> {
  for (let no = 1; no <= count; no += 1) {
    const bytes = Buffer.from(`${lease.threadId} ${no}`);
    const hash = hashNo(Number(lease.threadId.slice(-2)) * 1_000 + no);
    await index.blobs.write({ rows: [{ hash, bytes }], replacing: [], move: moveNo(lease, no) });
  }
}

function moveNo({ threadId, fence }: Lease, no: number) {
  const move = { threadId, fence, from: hashNo(no - 1), to: hashNo(no), toSha256: "0", nowMs: no };
  const usage = { inputTokens: 3, outputTokens: 1, cachedInputTokens: 0, costUsd: 0.5 };
  return {
    kind: "append",
    ...move,
    spent: { role: "coder", agent: "a", model: null, usage },
  } as const;
}

function at(no: number) {
  return { threadId: threadNo(no).threadId, ttlMs: TTL_MS, nowMs: Date.now(), replaces: null };
}

function threadNo(no: number): NewThread {
  return {
    threadId: `01HF00000000000000000000${String(no).padStart(2, "0")}`,
    workflow: "w",
    bundleHash: hashNo(99),
    startHash: hashNo(0),
    head: hashNo(0),
    headSha256: "0",
    stepCount: 0,
    depth: 0,
    parentThread: null,
    cwd: "/",
    forkedFrom: null,
    startedAt: 1,
    createdAt: no,
  };
}

function hashNo(no: number): string {
  return String(no).padStart(13, "0");
}

function processNo(no: number): ProcessIdentity {
  return { pid: no + 1, startedAt: "1", bootId: "boot" };
}
