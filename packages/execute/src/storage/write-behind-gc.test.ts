/** Garbage collection and fsck of a files root while a writer's steps are still rows that it has not
 *  written out. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { encodeContent, openFilesStore, openRootStore } from "@uncaged/workflow-cas";
import { threadsAt } from "@uncaged/workflow-cas/suite";
import type { BlobTable, EncodedNode, RootStore } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type BehindRoot, behindRoot } from "../testing/write-behind-thread.test.helper.ts";
import { collectStorage } from "./collect-storage.ts";

/** A replaced step, and a step that a thread needs. */
const replaced = encodeContent("replaced by a poke");
const said = encodeContent("said");
const head = encodeContent("head", [said.hash]);

let at: BehindRoot;
let store: RootStore;
beforeEach(async () => {
  at = await behindRoot();
  await openFilesStore(at.places.dir).putBatch([at.start]);
  store = at.open();
  await publishBoth(store);
});
afterEach(() => at.close());

async function publishBoth(to: RootStore): Promise<void> {
  await to.publish([replaced], await at.moveTo(replaced));
  await to.publish([said, head], await at.moveTo(head));
}

const isFile = ({ hash }: EncodedNode) => existsSync(join(at.places.dir, `${hash}.txt`));
const check = async () => store.check(await at.heads());

/** No grace period and no leases: the most that a collection may delete. It does not touch rows. */
const collect = () =>
  openRootStore({ ...at.places, threads: threadsAt(at.heads), kind: "packed" }).collect({
    nowMs: Date.now(),
    graceMs: 0,
    dryRun: false,
  });

async function expectHeadIsThere(): Promise<void> {
  expect(await check()).toMatchObject({ ok: true, problems: [] });
  for (const { hash, text } of [said, head]) expect(await store.get(hash)).toBe(text);
}

/** A table that runs `between` before its n-th call, and fails there if `between` throws. */
function interrupted(
  n: number,
  between: () => Promise<unknown>,
): { table: BlobTable; calls: () => number } {
  let calls = 0;
  const counted = async <T>(call: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (calls === n) await between();
    return call();
  };
  const { blobs } = at.index;
  const table = {
    ...blobs,
    read: (hash: string) => counted(() => blobs.read(hash)),
    quarantine: (hashes: readonly string[], nowMs: number) =>
      counted(() => blobs.quarantine(hashes, nowMs)),
    purge: (hashes: readonly string[], untilMs: number) =>
      counted(() => blobs.purge(hashes, untilMs)),
  };
  return { table, calls: () => calls };
}

test("rows that a thread needs stay, and those that none needs are set aside", async () => {
  expect(await collect()).toMatchObject({ activeRefs: 2, setAside: 2 });
  expect(await store.list()).toEqual([said.hash, head.hash].sort());
  await expectHeadIsThere();
});

test("a collection at any instant of the writing takes nothing that the head needs", async () => {
  for (let n = 1; ; n += 1) {
    const { table, calls } = interrupted(n, async () => {
      await collect();
      await collect();
    });
    const writer = at.open({ table });
    await publishBoth(writer);
    expect(await writer.flush()).toBe(null);
    await expectHeadIsThere();
    expect([said, head].map(isFile)).toEqual([true, true]);
    await collect();
    await expectHeadIsThere();
    if (n > calls()) break;
  }
});

test("a writer that breaks down at any instant loses nothing, and the next collection does the rest", async () => {
  for (let n = 1; ; n += 1) {
    const { table, calls } = interrupted(n, () => Promise.reject(new Error("broken down")));
    const writer = at.open({ table });
    await publishBoth(writer);
    await writer.flush();
    await expectHeadIsThere();
    await collectStorage(engineOf(at.open()), { dryRun: false, graceMs: 0 });
    await expectHeadIsThere();
    expect([[said, head].map(isFile), await at.index.blobs.list()]).toEqual([[true, true], []]);
    if (n > calls()) break;
  }
});

test("a row that was set aside before it was written out is a file that the next collection finds dead", async () => {
  await collect();
  expect(await store.flush()).toBe(null);
  expect([isFile(replaced), await at.index.blobs.listAside()]).toEqual([true, []]);
  expect(await collect()).toMatchObject({ setAside: 1 });
  await expectHeadIsThere();
});

test("a blob that is quarantined as a file is published as a row, and ends up as a file again", async () => {
  const kept = encodeContent("kept aside");
  await openFilesStore(at.places.dir).putBatch([kept]);
  await collect();
  expect(isFile(kept)).toBe(false);
  const next = encodeContent("next", [kept.hash, head.hash]);
  await store.publish([kept, next], await at.moveTo(next));
  await collect();
  expect(await store.flush()).toBe(null);
  await collect();
  expect([kept, next].map(isFile)).toEqual([true, true]);
  expect(await check()).toMatchObject({ ok: true, problems: [] });
});

test("a collection writes out what killed owners left, and a dry run does not", async () => {
  const later = at.open();
  await collectStorage(engineOf(later), { dryRun: true, graceMs: 0 });
  expect([said, head].map(isFile)).toEqual([false, false]);
  await collectStorage(engineOf(later), { dryRun: false, graceMs: 0 });
  expect([[said, head].map(isFile), await at.index.blobs.list()]).toEqual([[true, true], []]);
});

test("a collection says when it cannot write out what it found", async () => {
  const { blobs } = at.index;
  const table: BlobTable = {
    ...blobs,
    // Called for a blob that has become a file; the collection itself has nothing to delete.
    purge: async (hashes, untilMs) => {
      if (hashes.length > 0) throw new Error("no room");
      return blobs.purge(hashes, untilMs);
    },
  };
  await expect(
    collectStorage(engineOf(at.open({ table })), { dryRun: false, graceMs: 0 }),
  ).rejects.toMatchObject({ failure: { code: "STORAGE_FAILED" } });
  await expectHeadIsThere();
});

test("fsck counts each blob once while rows become files", async () => {
  const before = (await check()).checked;
  const slow = at.open();
  const [report] = await Promise.all([check(), slow.flush(), store.flush()]);
  expect(report).toMatchObject({ ok: true, checked: before });
});

function engineOf(cas: RootStore) {
  return { root: at.root, cas, now: Date.now };
}
