/** A move that is interrupted at any of its steps leaves every blob readable, and the next move completes
 *  the work. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeContent, openRootStore } from "@uncaged/workflow-cas";
import type { BlobTable, StoreKind } from "@uncaged/workflow-protocol";
import { type Index, openIndex } from "@uncaged/workflow-store";
import { afterEach, beforeEach, expect, test } from "vitest";

let root = "";
let dir = "";
let index: Index;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "packed-move-"));
  dir = join(root, "cas");
  index = await openIndex(root);
});
afterEach(async () => {
  await index.threads.close();
  rmSync(root, { recursive: true });
});

const nodes = Array.from({ length: 70 }, (_, n) => encodeContent(`blob ${n}`));
const hashes = nodes.map(({ hash }) => hash).sort();
const store = (kind: StoreKind) =>
  openRootStore({ dir, table: index.blobs, threads: index.threads, kind });
const move = (to: StoreKind, table: BlobTable) =>
  openRootStore({ dir, table, threads: index.threads, kind: "files" }).move(to);
const files = () =>
  readdirSync(dir)
    .filter((name) => name.endsWith(".txt"))
    .map((name) => name.slice(0, 13));

async function allIsThere(): Promise<void> {
  expect(await store("files").list()).toEqual(hashes);
  for (const kind of ["files", "packed"] as const)
    for (const { hash, text } of nodes) expect(await store(kind).get(hash)).toBe(text);
}

/** A table that fails before or after its n-th change. */
function breaking(n: number, when: "before" | "after"): BlobTable {
  let changes = 0;
  const counted = async <T>(change: () => Promise<T>): Promise<T> => {
    changes += 1;
    if (changes === n && when === "before") throw new Error("broken down");
    const value = await change();
    if (changes === n) throw new Error("broken down");
    return value;
  };
  const { blobs } = index;
  return {
    ...blobs,
    write: (write) => counted(() => blobs.write(write)),
    present: (...args) => counted(() => blobs.present(...args)),
    quarantine: (...args) => counted(() => blobs.quarantine(...args)),
    purge: (...args) => counted(() => blobs.purge(...args)),
    shrink: () => counted(() => blobs.shrink()),
  };
}

/** Thousands of flushed files, possibly on a busy machine. */
const PATIENCE = { timeout: 60_000 };

test.each([
  ["packing", "packed", "files"],
  ["unpacking", "files", "packed"],
] as const)("%s that breaks down anywhere loses nothing", PATIENCE, async (_, to, from) => {
  await store(from).putBatch(nodes);
  let breaks = 0;
  for (const when of ["before", "after"] as const) {
    for (let n = 1; ; n += 1) {
      const outcome = move(to, breaking(n, when));
      const whole = await outcome.then(() => true).catch(() => false);
      await allIsThere();
      // Back to the initial state, for the next failure point.
      await move(from, index.blobs);
      if (whole) break;
      breaks += 1;
    }
  }
  // Two batches, with a failure before and after every change of the table.
  expect(breaks).toBeGreaterThanOrEqual(4);
  await move(to, index.blobs);
  expect(from === "files" ? files() : await index.blobs.list()).toEqual([]);
  await allIsThere();
});

test("a file that cannot be removed stops the packing, and the row it was copied to stays", async () => {
  await store("files").putBatch(nodes.slice(0, 1));
  const [{ hash } = { hash: "" }] = nodes;
  const spoiled: BlobTable = {
    ...index.blobs,
    write: async (write) => {
      const done = await index.blobs.write(write);
      rmSync(join(dir, `${hash}.txt`));
      mkdirSync(join(dir, `${hash}.txt`));
      return done;
    },
  };
  await expect(move("packed", spoiled)).rejects.toMatchObject({
    failure: { code: "STORAGE_FAILED", message: expect.stringContaining(hash) },
  });
  expect(await index.blobs.list()).toEqual([hash]);
});

test("a file stays whose row an unpacking took away again before the packing came to it", async () => {
  await store("files").putBatch(nodes);
  const contested: BlobTable = {
    ...index.blobs,
    write: async (write) => {
      const done = await index.blobs.write(write);
      await move("files", index.blobs);
      return done;
    },
  };
  expect(await move("packed", contested)).toMatchObject({ moved: 0 });
  await allIsThere();
});

test("what lies in both places is moved, too, and damage stays where it is", async () => {
  await store("files").putBatch(nodes);
  await store("packed").putBatch(nodes.slice(0, 10));
  const [damaged = ""] = hashes;
  writeFileSync(join(dir, `${damaged}.txt`), "rot");
  const report = await move("packed", index.blobs);
  expect(report).toMatchObject({
    moved: nodes.length - 1,
    problems: [{ code: "CAS_CORRUPT", hash: damaged }],
  });
  expect(files()).toEqual([damaged]);
});
