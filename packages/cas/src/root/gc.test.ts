import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CollectReport, CollectRequest, EncodedNode } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { asidePath, blobPath } from "../files/files-layout.ts";
import { openFilesStore } from "../files/files-store.ts";
import { encodeContent } from "../node/codec.ts";
import { hashBytes } from "../node/hash.ts";
import { collidingTexts } from "../suite/collision-pair.ts";
import { threadsAt } from "../suite/threads-at.ts";
import { filesOnly } from "./files-only.test.helper.ts";
import type { RootThreads } from "./gc.ts";

const HOUR_MS = 3_600_000;
const GRACE_MS = HOUR_MS;

const leaf = encodeContent("leaf");
const root = encodeContent("root", [leaf.hash]);
const dead = encodeContent("dead");
const old = encodeContent("dead for long");

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "cas-gc-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const put = (...nodes: EncodedNode[]) => openFilesStore(dir).putBatch(nodes);
const list = () => openFilesStore(dir).list();
const sorted = (...nodes: EncodedNode[]) => nodes.map(({ hash }) => hash).sort();

function collect(
  changes: Partial<CollectRequest> = {},
  threads: RootThreads = threadsAt([root.hash]),
): Promise<CollectReport> {
  const request = { nowMs: Date.now(), graceMs: GRACE_MS, dryRun: false, ...changes };
  return filesOnly(dir, threads).collect(request);
}

/** Collects, with only the root reachable, as if it were `agoMs` ago. */
async function collectedAgo(agoMs: number): Promise<void> {
  const atMs = Date.now() - agoMs;
  await collect({ nowMs: atMs });
  utimesSync(asidePath(dir, atMs), atMs / 1000, atMs / 1000);
}

test("what the roots reach stays, the rest leaves the store", async () => {
  await put(root, leaf, dead, old);
  expect(await collect()).toEqual({
    scannedThreads: 1,
    activeRefs: 2,
    setAside: 2,
    restoredEntries: 0,
    deletedEntries: 0,
  });
  expect(await list()).toEqual(sorted(root, leaf));
});

test("a dry run counts the same and moves nothing", async () => {
  await put(root, leaf, dead);
  expect(await collect({ dryRun: true })).toMatchObject({ activeRefs: 2, setAside: 1 });
  expect(await list()).toEqual(sorted(root, leaf, dead));
  expect(readdirSync(dir)).toHaveLength(3);
});

test("an empty store, and one that does not exist, have nothing to collect", async () => {
  const none = { scannedThreads: 0, activeRefs: 0 };
  const nothing = { ...none, setAside: 0, restoredEntries: 0, deletedEntries: 0 };
  expect(await collect({}, threadsAt([]))).toEqual(nothing);
  dir = join(dir, "none");
  expect(await collect({}, threadsAt([]))).toEqual(nothing);
  expect(existsSync(dir)).toBe(false);
  dir = join(dir, "..");
});

test("a blob written while the roots are read is not touched", async () => {
  await put(root, leaf);
  const threads = threadsAt(async () => {
    await put(dead);
    return [root.hash];
  });
  const report = await collect({}, threads);
  expect(report.setAside).toBe(0);
  expect(await list()).toEqual(sorted(root, leaf, dead));
});

test("reading a quarantined blob returns and restores it", async () => {
  await put(root, leaf, dead);
  await collect();
  expect(await openFilesStore(dir).get(dead.hash)).toBe(dead.text);
  expect(await list()).toEqual(sorted(root, leaf, dead));
});

test("a blob that was quarantined before its writer's head moved is restored", async () => {
  await put(root, leaf, dead);
  await collect();
  const report = await collect({}, threadsAt([root.hash, dead.hash]));
  expect(report).toMatchObject({ activeRefs: 3, restoredEntries: 1, setAside: 0 });
  expect(await list()).toEqual(sorted(root, leaf, dead));
});

test("what is reachable only through a quarantined blob is restored with it", async () => {
  await put(root, leaf);
  await collect({}, threadsAt([]));
  expect(await collect()).toMatchObject({ activeRefs: 2, restoredEntries: 2 });
  expect(await list()).toEqual(sorted(root, leaf));
});

test("what lost threads reach stays, even if some of it is missing", async () => {
  const lost = encodeContent("lost", [leaf.hash, hashBytes("gone")]);
  await put(leaf, lost, dead);
  await collect({}, threadsAt([], { lost: [lost.hash] }));
  expect(await list()).toEqual(sorted(leaf, lost));
});

test("dead blobs are deleted for good after the grace period, not before", async () => {
  await put(root, leaf, dead);
  await collectedAgo(GRACE_MS - 60_000);
  expect((await collect()).deletedEntries).toBe(0);
  await put(old);
  await collectedAgo(GRACE_MS + 60_000);
  expect((await collect()).deletedEntries).toBe(1);
  expect(await openFilesStore(dir).get(old.hash)).toBe(null);
  expect(await openFilesStore(dir).get(dead.hash)).toBe(dead.text);
});

test("a lease older than the quarantine keeps what its holder may have seen", async () => {
  await put(root, leaf, dead);
  await collectedAgo(10 * HOUR_MS);
  const held = (hours: number) =>
    threadsAt([root.hash], { leasedSinceMs: Date.now() - hours * HOUR_MS });
  expect((await collect({}, held(11))).deletedEntries).toBe(0);
  expect((await collect({}, held(9))).deletedEntries).toBe(1);
});

test("the age of a folder is that of the last move into it, not of the run's beginning", async () => {
  await put(root, leaf, dead);
  // The run began ten hours ago and moved its last blob just now.
  await collect({ nowMs: Date.now() - 10 * HOUR_MS });
  expect((await collect()).deletedEntries).toBe(0);
  expect(await openFilesStore(dir).get(dead.hash)).toBe(dead.text);
});

test("a blob put again while quarantined is a new one, and only the old copy is deleted", async () => {
  await put(root, leaf, dead);
  await collectedAgo(10 * HOUR_MS);
  await put(dead);
  const report = await collect({}, threadsAt([root.hash, dead.hash]));
  expect(report).toMatchObject({ activeRefs: 3, setAside: 0 });
  expect(await list()).toEqual(sorted(root, leaf, dead));
  expect(await collect()).toMatchObject({ setAside: 1 });
});

test("a quarantined blob still conflicts with a colliding one", async () => {
  const [first, second] = collidingTexts;
  await put(root, leaf);
  await openFilesStore(dir).put(first);
  await collect();
  await expect(openFilesStore(dir).put(second)).rejects.toMatchObject({
    failure: { code: "CAS_COLLISION" },
  });
});

test("a blob that is deleted while quarantined stays deleted", async () => {
  await put(root, leaf, dead);
  await collect();
  await openFilesStore(dir).delete(dead.hash);
  expect(await openFilesStore(dir).get(dead.hash)).toBe(null);
});

test.each<[string, string, (path: string) => void]>([
  ["is missing", "CAS_MISSING", (path) => rmSync(path)],
  ["has a flipped bit", "CAS_CORRUPT", (path) => writeFileSync(path, flipped(readFileSync(path)))],
  ["is empty", "CAS_CORRUPT", (path) => writeFileSync(path, "")],
])("when a blob that a thread needs %s, nothing is touched", async (_what, code, spoil) => {
  for (const [victim, referrer] of [
    [root, "a thread's start or head"],
    [leaf, root.hash],
  ] as const) {
    await put(root, leaf, dead);
    spoil(blobPath(dir, victim.hash));
    const before = readdirSync(dir);
    await expect(collect()).rejects.toMatchObject({
      failure: { code, message: expect.stringMatching(`${victim.hash}.*${referrer}`) },
    });
    expect(readdirSync(dir)).toEqual(before);
  }
});

test("damage in a dead blob does not stop the collection", async () => {
  await put(root, leaf, dead);
  writeFileSync(blobPath(dir, dead.hash), "rot");
  expect(await collect()).toMatchObject({ activeRefs: 2, setAside: 1 });
});

test("temporary files whose writers are long gone are swept, those of today's writers are not", async () => {
  await put(root, leaf);
  for (const [name, agoMs] of [
    [".tmp-1-LEFT", 2 * HOUR_MS],
    [".tmp-2-NEW", 1000],
  ] as const) {
    writeFileSync(join(dir, name), "half a bl");
    const atSeconds = (Date.now() - agoMs) / 1000;
    utimesSync(join(dir, name), atSeconds, atSeconds);
  }
  await collect();
  expect(readdirSync(dir)).toContain(".tmp-2-NEW");
  expect(readdirSync(dir)).not.toContain(".tmp-1-LEFT");
  await collect({ graceMs: 0 });
  expect(readdirSync(dir)).toContain(".tmp-2-NEW");
});

test("files that are not blobs are left alone", async () => {
  await put(root, leaf);
  writeFileSync(join(dir, "notes.txt"), "mine");
  await collect();
  expect(readFileSync(join(dir, "notes.txt"), "utf8")).toBe("mine");
});

test("a quarantine folder is removed with its last blob", async () => {
  await put(root, leaf, dead);
  await collectedAgo(10 * HOUR_MS);
  await collect();
  expect(readdirSync(join(dir, ".aside"))).toEqual([]);
});

function flipped(bytes: Buffer): Buffer {
  bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
  return bytes;
}
