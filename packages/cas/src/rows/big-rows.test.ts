import type { BigBlobs, BlobTable } from "@uncaged/workflow-protocol";
import { beforeEach, expect, test } from "vitest";
import { encodeContent } from "../node/codec.ts";
import { hashBytes } from "../node/hash.ts";
import { collidingTexts } from "../suite/collision-pair.ts";
import { type BigRows, withBigBlobs } from "./big-rows.ts";
import { memoryBigBlobs } from "./memory-big-blobs.ts";
import { type MemoryRow, memoryBlobTable } from "./memory-blob-table.ts";

const long = Buffer.alloc(100, "long");
const row = { hash: hashBytes(long), bytes: long };
const LATER = Date.now() + 3_600_000;

let rows: Map<string, MemoryRow>;
let under: BlobTable;
let big: BigBlobs;
let table: BigRows;
beforeEach(() => {
  rows = new Map();
  under = memoryBlobTable(async () => [], rows);
  big = memoryBigBlobs();
  table = withBigBlobs(under, { big, maxRowBytes: 99 });
});

const write = (written = [row], to: BigRows = table) =>
  to.write({ rows: written, replacing: [], move: null });
const read = async () => (await table.read(row.hash))?.bytes;
const copies = async () => {
  let count = 0;
  for await (const _ of big.list(LATER)) count += 1;
  return count;
};

test("a long row is a copy, a short one is not, and both are read alike", async () => {
  const bytes = Buffer.alloc(99, "short");
  const short = { hash: hashBytes(bytes), bytes };
  await write([row, short]);
  expect(await copies()).toBe(1);
  expect((await under.read(row.hash))?.bytes).not.toEqual(long);
  expect((await under.read(short.hash))?.bytes).toEqual(bytes);
  expect(await read()).toEqual(long);
  expect(await table.readMany([row.hash, short.hash])).toEqual([row, short]);
});

test("a blob that is stored again has one copy in the end, whoever stores it", async () => {
  await Promise.all([write(), write(), write()]);
  await write();
  expect([await copies(), await read()]).toEqual([1, long]);
});

test("a blob that had become a row before there was a bucket becomes a copy when it is stored again", async () => {
  await under.write({ rows: [row], replacing: [], move: null });
  await write();
  expect([await copies(), await read()]).toEqual([1, long]);
});

test("a deletion between storing the copy and the row takes nothing from whoever stores", async () => {
  await write();
  await table.quarantine([row.hash], 1);
  const slow = withBigBlobs(under, {
    maxRowBytes: 99,
    big: {
      ...big,
      put: async (...args) => {
        const copy = await big.put(...args);
        expect(await table.purge([row.hash], 2)).toEqual([row.hash]);
        return copy;
      },
    },
  });
  await write([row], slow);
  expect([await copies(), await read()]).toEqual([1, long]);
});

test("a write that had been done, and whose answer was lost, keeps the copy that its row names", async () => {
  await write();
  // The store knows that the move has been done, and changes nothing.
  let asked = 0;
  const done = withBigBlobs(
    {
      ...under,
      write: async (it) => (++asked === 1 ? under.write(it) : { kind: "written", signals: [] }),
    },
    { big, maxRowBytes: 99 },
  );
  await write([row], done);
  expect(asked).toBe(2);
  expect(await read()).toEqual(long);
});

test("a reader whose copy is replaced before it is fetched gets the bytes", async () => {
  await write();
  let first = true;
  const reader = withBigBlobs(under, {
    maxRowBytes: 99,
    big: {
      ...big,
      get: async (copy) => {
        if (first) {
          first = false;
          await write();
        }
        return big.get(copy);
      },
    },
  });
  expect((await reader.read(row.hash))?.bytes).toEqual(long);
});

test("a missing object is CAS_MISSING, is left out where many are read, and storing the blob again mends it", async () => {
  await write();
  for await (const copy of big.list(LATER)) await big.delete(copy);
  await expect(read()).rejects.toMatchObject({ failure: { code: "CAS_MISSING" } });
  expect(await table.readMany([row.hash])).toEqual([]);
  const first = await write();
  expect(first.kind).toBe("differs");
  const replacing = first.kind === "differs" ? first.existing : [];
  await table.write({ rows: [row], replacing, move: null });
  expect(await read()).toEqual(long);
});

test("bytes that collide are returned, nothing is stored, and no copy is left of them", async () => {
  const [one, two] = collidingTexts.map((text) => Buffer.from(encodeContent(text).text));
  if (one === undefined || two === undefined) throw new Error("there are two");
  const tight = withBigBlobs(under, { big, maxRowBytes: 1 });
  const hash = hashBytes(one);
  await write([{ hash, bytes: one }], tight);
  const refused = await write([{ hash, bytes: two }], tight);
  expect(refused).toEqual({ kind: "differs", existing: [{ hash, bytes: one }] });
  expect(await copies()).toBe(1);
  expect((await tight.read(hash))?.bytes).toEqual(one);
});

test("deleted rows take their copies along, and copies of writers that were killed are swept when they are old", async () => {
  await write();
  await table.delete(row.hash);
  expect(await copies()).toBe(0);
  const killed = withBigBlobs(
    { ...under, write: () => Promise.reject(new Error("killed")) },
    { big, maxRowBytes: 99 },
  );
  await expect(write([row], killed)).rejects.toThrow("killed");
  await write();
  expect(await copies()).toBe(2);
  expect(await table.sweep(1)).toBe(0);
  expect(await table.sweep(LATER)).toBe(1);
  expect([await copies(), await read()]).toEqual([1, long]);
});
