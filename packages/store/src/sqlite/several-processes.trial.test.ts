import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { leaseOf, type ThreadStore } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { killFixtures, startFixture } from "../fixtures/start-fixture.ts";
import {
  acquireAt,
  sampleHash,
  sampleId,
  sampleMove,
  sampleThread,
} from "../suite/sample-threads.ts";
import { openThreadStore } from "./sqlite-store.ts";

let root: string;
let store: ThreadStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "store-"));
  store = await openThreadStore(root);
});
afterEach(async () => {
  killFixtures();
  await store.close();
  await rm(root, { recursive: true, force: true });
});

test("of several processes that want a thread exactly one gets it, every time", async () => {
  const rounds = 200;
  for (let n = 0; n < rounds; n += 1) await store.create(sampleThread(n), null);
  const racers = [1, 2, 3, 4].map(() => startFixture("racer", { args: [root] }));
  const wins = racers.map(() => 0);
  for (let n = 0; n < rounds; n += 1) {
    for (const racer of racers) racer.tell(sampleId(n));
    const answers = await Promise.all(racers.map((racer) => racer.hear()));
    expect([...answers].sort()).toEqual(["LEASE_HELD", "LEASE_HELD", "LEASE_HELD", "won 1"]);
    const winner = answers.indexOf("won 1");
    wins[winner] = (wins[winner] ?? 0) + 1;
  }
  expect(await Promise.all(racers.map((racer) => racer.end()))).toEqual([0, 0, 0, 0]);
  // It really was a race: no process won every time.
  expect(Math.max(...wins)).toBeLessThan(rounds);
}, 60_000);

test("a process killed inside a transaction leaves nothing of it, and blocks nobody", async () => {
  const { threadId } = (await store.create(sampleThread(1), null)).thread;
  const before = await store.get(threadId);
  const victim = startFixture("half-done", { args: [join(root, "index.db")] });
  expect(await victim.hear()).toBe("inside");
  await victim.kill();
  expect(await store.get(threadId)).toEqual(before);
  const lease = await acquireAt(store, threadId, { pid: 1, nowMs: 1, replaces: null });
  await store.advance(sampleMove(lease, 1));
  expect(integrity(root)).toBe("ok");
}, 60_000);

test("a process killed while it publishes loses no acknowledged step", async () => {
  const { threadId } = (await store.create(sampleThread(1), null)).thread;
  for (let round = 0; round < 8; round += 1) {
    const publisher = startFixture("publisher", { args: [root, threadId] });
    const heard: (string | null)[] = [];
    while (heard.length < 5 + round * 7) heard.push(await publisher.hear());
    await publisher.kill();
    heard.push(...(await publisher.hearAll()));
    const acknowledged = Number(heard.at(-1));
    await store.close();
    store = await openThreadStore(root);
    const thread = await store.get(threadId);
    // The last one may have been published just before it could be acknowledged.
    expect([acknowledged, acknowledged + 1]).toContain(thread?.stepCount);
    expect(thread?.head).toBe(sampleHash(thread?.stepCount ?? 0));
    const dead = (thread && leaseOf(thread))?.fence ?? 0;
    const lease = await acquireAt(store, threadId, { pid: 1, nowMs: 1, replaces: dead });
    await store.release({ ...lease, nowMs: 1, to: { status: "idle" } });
  }
  expect(integrity(root)).toBe("ok");
}, 60_000);

test("on a full disk a step is refused and not acknowledged, and the earlier ones stay", async () => {
  const { threadId } = (await store.create(sampleThread(1), null)).thread;
  await store.close();
  const publisher = startFixture("publisher", {
    args: [root, threadId],
    maxFileBytes: 256 * 1024,
  });
  const heard = await publisher.hearAll();
  expect(heard.at(-1)).toMatch(/^failed STORAGE_FAILED .+/);
  const acknowledged = Number(heard.at(-2));
  expect(acknowledged).toBeGreaterThan(10);
  store = await openThreadStore(root);
  const thread = await store.get(threadId);
  expect(thread?.stepCount).toBe(acknowledged);
  expect(integrity(root)).toBe("ok");
  const next = await acquireAt(store, threadId, { pid: 1, nowMs: Date.now() * 2, replaces: null });
  await store.advance(sampleMove(next, acknowledged + 1));
}, 60_000);

test("processes that open a fresh storage root at the same moment all succeed", async () => {
  for (let round = 0; round < 5; round += 1) {
    const fresh = join(root, `fresh-${round}`, "nested");
    const racers = [1, 2, 3, 4].map(() => startFixture("racer", { args: [fresh] }));
    expect(await Promise.all(racers.map((racer) => racer.end()))).toEqual([0, 0, 0, 0]);
    expect(integrity(fresh)).toBe("ok");
  }
}, 60_000);

test("a process that waited for another's migration does not run it again", async () => {
  const fresh = await mkdtemp(join(root, "fresh-"));
  const first = startFixture("slow-migration", { args: [join(fresh, "index.db")] });
  expect(await first.hear()).toBe("inside");
  const second = await openThreadStore(fresh);
  expect((await second.create(sampleThread(1), null)).created).toBe(true);
  await second.close();
  expect(await first.end()).toBe(0);
}, 60_000);

function integrity(of: string): unknown {
  const db = new DatabaseSync(join(of, "index.db"));
  try {
    return db.prepare("PRAGMA integrity_check").get()?.integrity_check;
  } finally {
    db.close();
  }
}
