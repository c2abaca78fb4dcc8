import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { failureFrom } from "@uncaged/workflow-protocol";
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

test.each([
  ["ended without a return code", "status = 'failed', summary = '\"no\"'", "returnCode"],
  ["ended without a summary", "status = 'completed', returnCode = 0", "summary"],
  ["has a return code and has not ended", "returnCode = 0", "returnCode"],
  ["has a summary and has not ended", "status = 'paused', summary = '\"done\"'", "summary"],
  ["runs and is nobody's", "status = 'running'", "leasePid"],
  ["is owned and rests", "leasePid = 7", "leasePid"],
  ["waits and asks nothing", "status = 'suspended'", "suspendedRole"],
  ["asks and does not wait", "suspendedRole = 'coder'", "suspendedRole"],
])(
  "a row of a thread that %s fits no status, and no reader takes it for one",
  async (_, changes, column) => {
    await withThreads(1);
    const { threadId } = sampleThread(0);
    const db = new DatabaseSync(file);
    db.exec(`PRAGMA ignore_check_constraints = ON; UPDATE threads SET ${changes}`);
    db.close();
    const store = await openThreadStore(root);
    for (const read of [store.get(threadId), store.list({})]) {
      const reason = await read.then(String, (thrown: unknown) => failureFrom(thrown, "INTERNAL"));
      expect(reason).toMatchObject({
        code: "STORAGE_FAILED",
        hint: expect.stringMatching(/backup/),
      });
      expect(reason).toHaveProperty(
        "message",
        expect.stringContaining(`${column} for thread ${threadId}`),
      );
    }
    await store.close();
    expect((await checkThreadIndex(root)).map(({ code }) => code)).toContain("STORAGE_FAILED");
  },
);

test("a file that is not a database is found", async () => {
  await writeFile(file, "notes ".repeat(1_000));
  const problems = await checkThreadIndex(root);
  expect(problems.map(({ code }) => code)).toEqual(["STORAGE_FAILED"]);
});

async function withThreads(count: number): Promise<void> {
  const store = await openThreadStore(root);
  for (let n = 0; n < count; n += 1) await store.create(sampleThread(n), null);
  await store.close();
}
