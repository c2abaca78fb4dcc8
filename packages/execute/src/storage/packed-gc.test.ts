/** Garbage collection and fsck of a root whose blobs are rows. The rules are those of files. */
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { encodeContent, openRootStore } from "@uncaged/workflow-cas";
import { threadsAt } from "@uncaged/workflow-cas/suite";
import type { CollectRequest, EncodedNode, RootStore } from "@uncaged/workflow-protocol";
import { type Index, openIndex } from "@uncaged/workflow-store";
import { afterEach, beforeEach, expect, test } from "vitest";

const HOUR_MS = 3_600_000;
const leaf = encodeContent("leaf");
const head = encodeContent("head", [leaf.hash]);
const dead = encodeContent("dead");
const sorted = (...nodes: EncodedNode[]) => nodes.map(({ hash }) => hash).sort();

let root = "";
let dir = "";
let index: Index;
let cas: RootStore;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "packed-gc-"));
  dir = join(root, "cas");
  index = await openIndex(root);
  cas = openRootStore({ dir, table: index.blobs, threads: index.threads, kind: "packed" });
  await cas.putBatch([leaf, head, dead]);
});
afterEach(async () => {
  await index.threads.close();
  rmSync(root, { recursive: true });
});

const collect = (changes: Partial<CollectRequest> = {}, threads = threadsAt([head.hash])) =>
  openRootStore({ dir, table: index.blobs, threads, kind: "packed" }).collect({
    nowMs: Date.now(),
    graceMs: HOUR_MS,
    dryRun: false,
    ...changes,
  });
const filesStore = () =>
  openRootStore({ dir, table: index.blobs, threads: index.threads, kind: "files" });
const check = () => cas.check([head.hash]);
const ago = (ms: number) => ({ nowMs: Date.now() - ms });

test("what the roots reach stays, the rest leaves the store, and a dry run only counts", async () => {
  const counts = {
    scannedThreads: 1,
    activeRefs: 2,
    setAside: 1,
    restoredEntries: 0,
    deletedEntries: 0,
  };
  expect(await collect({ dryRun: true })).toEqual(counts);
  expect(await cas.list()).toEqual(sorted(leaf, head, dead));
  expect(await collect()).toEqual(counts);
  expect(await cas.list()).toEqual(sorted(leaf, head));
  expect(await check()).toEqual({ ok: true, checked: 2, problems: [] });
});

test("who asks for a blob that was set aside, or puts it again, brings it back", async () => {
  await collect();
  expect(await cas.get(dead.hash)).toBe(dead.text);
  expect(await cas.list()).toContain(dead.hash);
  await collect();
  await cas.putBatch([dead]);
  expect(await cas.list()).toContain(dead.hash);
  expect(await collect({}, threadsAt([head.hash, dead.hash]))).toMatchObject({
    restoredEntries: 0,
    activeRefs: 3,
  });
});

test("a blob that a thread has come to need goes back", async () => {
  await collect();
  const report = await collect({}, threadsAt([head.hash, dead.hash]));
  expect(report).toMatchObject({ activeRefs: 3, restoredEntries: 1, setAside: 0 });
  expect(await cas.list()).toContain(dead.hash);
});

test("dead blobs are deleted for good after the grace period, not before", async () => {
  await collect(ago(HOUR_MS - 60_000));
  expect((await collect()).deletedEntries).toBe(0);
  await cas.get(dead.hash);
  await collect(ago(HOUR_MS + 60_000));
  expect((await collect()).deletedEntries).toBe(1);
  expect(await cas.get(dead.hash)).toBe(null);
});

test("a lease that is older than the move keeps what its holder may have seen", async () => {
  await collect(ago(10 * HOUR_MS));
  const held = (hours: number) =>
    threadsAt([head.hash], { leasedSinceMs: Date.now() - hours * HOUR_MS });
  expect((await collect({}, held(11))).deletedEntries).toBe(0);
  expect((await collect({}, held(9))).deletedEntries).toBe(1);
});

test("the age of a row is that of its move, not of the run's beginning", async () => {
  const slow = async () => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    return [head.hash];
  };
  const nowMs = Date.now();
  await collect({ nowMs }, threadsAt(slow));
  const [moved] = await index.blobs.listAside();
  expect(moved?.sinceMs).toBeGreaterThanOrEqual(nowMs + 50);
});

test("a blob in both places counts as dead once, and is removed from both", async () => {
  await filesStore().putBatch([dead]);
  expect(await collect()).toMatchObject({ setAside: 1 });
  expect(await cas.list()).toEqual(sorted(leaf, head));
});

test("what threads need is kept wherever it lies", async () => {
  await cas.delete(leaf.hash);
  await filesStore().putBatch([leaf]);
  expect(await collect()).toMatchObject({ activeRefs: 2, setAside: 1 });
  expect(await check()).toEqual({ ok: true, checked: 2, problems: [] });
});

test("a damaged row is found by fsck, and one that a thread needs stops the collection", async () => {
  const db = new DatabaseSync(join(root, "index.db"));
  db.prepare("UPDATE blobs SET bytes = ? WHERE bytes = ?").run(
    Buffer.from("rot"),
    Buffer.from(leaf.text),
  );
  db.close();
  expect(await check()).toMatchObject({
    ok: false,
    checked: 3,
    problems: [{ code: "CAS_CORRUPT", hash: leaf.hash }],
  });
  await expect(collect()).rejects.toMatchObject({ failure: { code: "CAS_CORRUPT" } });
  expect(await cas.list()).toEqual(sorted(leaf, head, dead));
  await cas.delete(leaf.hash);
  await expect(collect()).rejects.toMatchObject({ failure: { code: "CAS_MISSING" } });
});

test("a quarantined file is found by a packed store", async () => {
  const files = filesStore();
  await files.put("kept aside");
  const { hash, text } = encodeContent("kept aside");
  await collect();
  expect(existsSync(join(dir, `${hash}.txt`))).toBe(false);
  expect(await cas.get(hash)).toBe(text);
  renameSync(join(dir, `${hash}.txt`), join(dir, `${hash}.gone`));
  expect(await cas.get(hash)).toBe(null);
});
