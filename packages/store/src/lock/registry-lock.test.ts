import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { killFixtures, startFixture } from "../fixtures/start-fixture.ts";
import { openThreadStore } from "../sqlite/sqlite-store.ts";
import { acquireAt, sampleMove, sampleThread } from "../suite/sample-threads.ts";
import { lockFile } from "./file-lock.ts";
import { registryLock } from "./registry-lock.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "lock-"));
});
afterEach(async () => {
  killFixtures();
  await rm(root, { recursive: true, force: true });
});

test("a section's value is returned, and what it throws is rethrown, with the lock free again", async () => {
  const exclusively = registryLock(root);
  expect(await exclusively(() => 42)).toBe(42);
  const broken = new Error("broken section");
  const failing = exclusively(() => {
    throw broken;
  });
  await expect(failing).rejects.toBe(broken);
  expect(await exclusively(async () => "after it")).toBe("after it");
});

test("sections of one process do not meet, not even while they wait for something", async () => {
  const exclusively = registryLock(root);
  let inside = 0;
  const visit = () =>
    exclusively(async () => {
      inside += 1;
      await sleep(5);
      expect(inside).toBe(1);
      inside -= 1;
    });
  await Promise.all(Array.from({ length: 8 }, visit));
});

test("sections of several processes lose no update", async () => {
  const counter = join(root, "counter");
  await writeFile(counter, "0");
  const args = [root, counter, "100"];
  const fixtures = [1, 2, 3].map(() => startFixture("counter", { args }));
  expect(await Promise.all(fixtures.map((fixture) => fixture.end()))).toEqual([0, 0, 0]);
  expect(await readFile(counter, "utf8")).toBe("300");
}, 60_000);

test("a section ends with its process, and holds up no step meanwhile", async () => {
  const store = await openThreadStore(root);
  const { threadId } = (await store.create(sampleThread(1), null)).thread;
  const holder = startFixture("counter", { args: [root, "", "hang"] });
  expect(await holder.hear()).toBe("inside");
  const lease = await acquireAt(store, threadId, { pid: 1, nowMs: 1, replaces: null });
  await store.advance(sampleMove(lease, 1));
  let entered = false;
  const waiting = registryLock(root)(() => {
    entered = true;
  });
  await sleep(400);
  expect(entered).toBe(false);
  await holder.kill();
  await waiting;
  expect(entered).toBe(true);
  await store.close();
}, 60_000);

test("waiting for a lock ends on the signal, without the lock", async () => {
  const file = join(root, "any.lock");
  const first = await lockFile(file, new AbortController().signal);
  expect(await lockFile(file, AbortSignal.timeout(50))).toBe(null);
  first?.release();
  const second = await lockFile(file, new AbortController().signal);
  expect(second).not.toBe(null);
  second?.release();
});
