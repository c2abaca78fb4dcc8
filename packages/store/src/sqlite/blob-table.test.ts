import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type BlobRow, failureFrom, type Lease } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownedThread, sampleHash, sampleMove } from "../suite/sample-threads.ts";
import { hashOfHex, nameOf } from "./blob-name.ts";
import { type Index, openIndex } from "./sqlite-store.ts";

let root: string;
let index: Index;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "blobs-"));
  index = await openIndex(root);
});
afterEach(async () => {
  await index.threads.close();
  await rm(root, { recursive: true, force: true });
});

const row = (n: number, text: string): BlobRow => ({
  hash: sampleHash(n),
  bytes: Buffer.from(text),
});
const write = (...rows: BlobRow[]) => index.blobs.write({ rows, replacing: [], move: null });
const textAt = async (hash: string) => {
  const found = await index.blobs.read(hash);
  return found === null ? null : { ...found, bytes: Buffer.from(found.bytes).toString() };
};
const [one, two, three] = [row(1, "one"), row(2, "two"), row(3, "three")];

test("a hash is the same after its way through a signed number", () => {
  const letters = [..."0123456789ABCDEFGHJKMNPQRSTVWXYZ"];
  const hash = fc
    .tuple(
      fc.constantFrom(...letters.slice(0, 16)),
      fc.array(fc.constantFrom(...letters), { minLength: 12, maxLength: 12 }),
    )
    .map(([first, rest]) => first + rest.join(""));
  fc.assert(
    fc.property(hash, (text) => {
      const hex = BigInt.asUintN(64, nameOf(text)).toString(16).padStart(16, "0");
      expect(hashOfHex(hex)).toBe(text);
    }),
  );
  expect([nameOf("FZZZZZZZZZZZZ"), nameOf("0000000000001"), nameOf("8000000000000")]).toEqual([
    -1n,
    1n,
    -(2n ** 63n),
  ]);
});

test("rows come back as they were written, and are listed in order", async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  await write(three, { hash: sampleHash(1), bytes }, row(2, ""));
  expect(Buffer.from((await index.blobs.read(sampleHash(1)))?.bytes ?? [])).toEqual(bytes);
  expect(await textAt(sampleHash(2))).toEqual({ bytes: "", aside: false });
  expect(await textAt(sampleHash(4))).toBe(null);
  expect(await index.blobs.list()).toEqual([1, 2, 3].map(sampleHash));
});

test("other bytes under a name are given back, and nothing of that write is stored", async () => {
  await write(one);
  const other = { ...one, bytes: Buffer.from("another") };
  expect(await write(two, other)).toEqual({
    kind: "differs",
    standing: [{ hash: one.hash, bytes: new Uint8Array(one.bytes) }],
  });
  expect(await index.blobs.list()).toEqual([one.hash]);
});

test("bytes are overwritten only by a writer who says which", async () => {
  await write(row(1, "rot"));
  const wrong = { rows: [one], replacing: [row(1, "other rot")], move: null };
  expect(await index.blobs.write(wrong)).toMatchObject({ kind: "differs" });
  const right = { rows: [one], replacing: [row(1, "rot")], move: null };
  expect(await index.blobs.write(right)).toMatchObject({ kind: "written" });
  expect(await textAt(one.hash)).toEqual({ bytes: "one", aside: false });
});

test("a step and its head are published together", async () => {
  const lease = await ownedThread(index.threads, 1);
  await index.threads.signal(lease.threadId, "pause", 1);
  const published = await index.blobs.write({
    rows: [one, two],
    replacing: [],
    move: sampleMove(lease, 1),
  });
  expect(published).toEqual({ kind: "written", signals: ["pause"] });
  expect((await index.threads.get(lease.threadId))?.head).toBe(sampleHash(1));
  expect(await index.blobs.list()).toEqual([one.hash, two.hash]);
});

test("a move that is refused stores nothing", async () => {
  const lease = await ownedThread(index.threads, 1);
  const late: Lease = { ...lease, fence: lease.fence - 1 };
  await expect(publish(late, 1)).rejects.toMatchObject({ failure: { code: "LEASE_LOST" } });
  expect(await index.blobs.list()).toEqual([]);
});

test("of the steps of many threads at once, a refused one fails alone", async () => {
  const leases: Lease[] = [];
  for (let n = 0; n < 8; n += 1) leases.push(await ownedThread(index.threads, n));
  const fences = leases.map((lease, n) => (n === 3 ? { ...lease, fence: 99 } : lease));
  const outcomes = await Promise.allSettled(fences.map((lease, n) => publish(lease, n)));
  expect(outcomes.map(({ status }) => status)).toEqual(
    fences.map((_, n) => (n === 3 ? "rejected" : "fulfilled")),
  );
  const [refused] = outcomes.filter((outcome) => outcome.status === "rejected");
  expect(failureFrom(refused?.reason, "INTERNAL").code).toBe("LEASE_LOST");
  expect(await index.blobs.list()).toEqual([0, 1, 2, 4, 5, 6, 7].map((n) => sampleHash(n + 100)));
  const heads = (await index.threads.roots()).map(({ head }) => head);
  expect(heads.filter((head) => head === sampleHash(0))).toHaveLength(1);
});

test("steps of many threads at once take one commit", async () => {
  const leases: Lease[] = [];
  for (let n = 0; n < 32; n += 1) leases.push(await ownedThread(index.threads, n));
  const other = new DatabaseSync(join(root, "index.db"));
  const seen: unknown[] = [];
  const look = () => seen.push(other.prepare("SELECT count(*) AS n FROM blobs").get()?.n);
  await Promise.all(leases.map((lease, n) => publish(lease, n).then(look)));
  other.close();
  expect(seen).toEqual(leases.map(() => 32));
});

test("many rows are read at once, without those that are not there or lie aside", async () => {
  await write(one, two, three);
  await index.blobs.setAside([two.hash], () => 1);
  const rows = await index.blobs.readMany([three.hash, sampleHash(4), two.hash, one.hash]);
  const found = rows.map(({ hash, bytes }) => `${hash} ${Buffer.from(bytes)}`);
  expect(found.sort()).toEqual([`${one.hash} one`, `${three.hash} three`].sort());
  expect(await index.blobs.readMany([])).toEqual([]);
});

test("what lies aside can be read, is not listed, and comes back with the next write of it", async () => {
  await write(one, two);
  await index.blobs.setAside([one.hash, two.hash, three.hash], () => 1_000);
  await index.blobs.setAside([one.hash], () => 2_000);
  expect(await textAt(one.hash)).toEqual({ bytes: "one", aside: true });
  expect(await index.blobs.list()).toEqual([]);
  expect(await index.blobs.listAside()).toEqual([
    { hash: one.hash, sinceMs: 1_000 },
    { hash: two.hash, sinceMs: 1_000 },
  ]);
  await write(one);
  await index.blobs.bringBack([two.hash]);
  expect(await index.blobs.list()).toEqual([one.hash, two.hash]);
  expect(await index.blobs.listAside()).toEqual([]);
});

test("only what still lies aside, for long enough, is deleted for good", async () => {
  await write(one, two, three);
  await index.blobs.setAside([one.hash, two.hash], () => 1_000);
  await index.blobs.setAside([three.hash], () => 3_000);
  await index.blobs.bringBack([two.hash]);
  await index.blobs.purge(
    [one, two, three].map(({ hash }) => hash),
    2_000,
  );
  expect(await textAt(one.hash)).toBe(null);
  expect(await textAt(two.hash)).toEqual({ bytes: "two", aside: false });
  expect(await textAt(three.hash)).toEqual({ bytes: "three", aside: true });
});

test("a deleted row takes its place aside with it", async () => {
  await write(one);
  await index.blobs.setAside([one.hash], () => 1_000);
  await index.blobs.delete(one.hash);
  await write(two);
  expect(await index.blobs.list()).toEqual([two.hash]);
  expect(await index.blobs.listAside()).toEqual([]);
});

test("a section that throws removes nothing", async () => {
  await write(one);
  const broken = index.blobs.exclusively((rows) => {
    rows.remove(one.hash);
    throw new Error("half-way");
  });
  await expect(broken).rejects.toThrow("half-way");
  expect(await index.blobs.list()).toEqual([one.hash]);
  await index.blobs.exclusively((rows) => {
    if (rows.has(one.hash) && !rows.has(two.hash)) rows.remove(one.hash);
  });
  expect(await index.blobs.list()).toEqual([]);
});

test("shrinking gives the room of deleted rows back", async () => {
  const many = Array.from({ length: 500 }, (_, n) => row(n, "x".repeat(4_000)));
  await write(...many);
  for (const { hash } of many) await index.blobs.delete(hash);
  const pages = () => {
    const other = new DatabaseSync(join(root, "index.db"));
    const { page_count: count } = other.prepare("PRAGMA page_count").get() ?? {};
    other.close();
    return Number(count);
  };
  const before = pages();
  await index.blobs.shrink();
  expect(pages()).toBeLessThan(before / 10);
});

/** Publishes the first step of the n-th thread, whose one blob has a name of its own. */
function publish(lease: Lease, n: number) {
  const rows = [row(n + 100, `step of ${n}`)];
  return index.blobs.write({ rows, replacing: [], move: sampleMove(lease, 1) });
}
