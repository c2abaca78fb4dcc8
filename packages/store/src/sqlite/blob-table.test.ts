import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { BlobRow, Lease } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hashOfName, nameOf } from "../operations/blob-name.ts";
import type { Index } from "../operations/root-index.ts";
import { blobTableCases } from "../suite/blob-table-cases.ts";
import { ownedThread, sampleHash, sampleMove } from "../suite/sample-threads.ts";
import { openIndex } from "./sqlite-store.ts";

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
      expect(hashOfName(String(nameOf(text)))).toBe(text);
    }),
  );
  expect([nameOf("FZZZZZZZZZZZZ"), nameOf("0000000000001"), nameOf("8000000000000")]).toEqual([
    -1n,
    1n,
    -(2n ** 63n),
  ]);
});

test.each(blobTableCases)("a table of the index $name", ({ run }) => run(index));

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

test("shrinking returns the room of deleted rows", async () => {
  const many = Array.from({ length: 500 }, (_, n) => row(n, "x".repeat(4_000)));
  await index.blobs.write({ rows: many, replacing: [], move: null });
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

/** Publishes the first step of the n-th thread, whose only blob is unique. */
function publish(lease: Lease, n: number) {
  const rows = [row(n + 100, `step of ${n}`)];
  return index.blobs.write({ rows, replacing: [], move: sampleMove(lease, 1) });
}
