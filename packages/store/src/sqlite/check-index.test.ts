import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sampleThread } from "../suite/sample-threads.ts";
import { checkThreadIndex } from "./check-index.ts";
import { openThreadStore } from "./sqlite-store.ts";

let root: string;
let file: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "store-"));
  file = join(root, "index.db");
});
afterEach(() => rm(root, { recursive: true, force: true }));

test("a storage root without an index has no damage, and gets no index", async () => {
  expect(await checkThreadIndex(root)).toEqual([]);
  expect(await readdir(root)).toEqual([]);
});

test("a sound index has no damage, also while it is in use", async () => {
  const store = await openThreadStore(root);
  await store.create(sampleThread(1), null);
  expect(await checkThreadIndex(root)).toEqual([]);
  await store.close();
});

test("a damaged page is found", async () => {
  await withThreads(50);
  const bytes = await readFile(file);
  const at = bytes.lastIndexOf("01HF0000000025");
  await writeFile(file, bytes.fill(0, at - 40, at + 20));
  const problems = await checkThreadIndex(root);
  expect(problems.length).toBeGreaterThan(0);
  for (const { code, hint } of problems) {
    expect(code).toBe("STORAGE_FAILED");
    expect(hint).not.toBe("");
  }
});

test("a row that makes no sense is found", async () => {
  await withThreads(3);
  const db = new DatabaseSync(file);
  db.exec("UPDATE threads SET status = 'resting' WHERE stepCount = 0");
  db.close();
  const [problem] = await checkThreadIndex(root);
  expect(problem?.message).toContain("resting");
});

test("a file that is no database is found", async () => {
  await writeFile(file, "notes ".repeat(1_000));
  const problems = await checkThreadIndex(root);
  expect(problems.map(({ code }) => code)).toEqual(["STORAGE_FAILED"]);
});

async function withThreads(count: number): Promise<void> {
  const store = await openThreadStore(root);
  for (let n = 0; n < count; n += 1) await store.create(sampleThread(n), null);
  await store.close();
}
