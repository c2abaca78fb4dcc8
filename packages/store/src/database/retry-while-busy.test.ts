import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { failureFrom } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openThreadStore } from "../sqlite/sqlite-store.ts";
import { sampleThread } from "../suite/sample-threads.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { sqliteFailed } from "./sqlite-failure.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "store-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test("a change waits for another process's transaction, and this process continues meanwhile", async () => {
  const store = await openThreadStore(root);
  const other = new DatabaseSync(join(root, "index.db"));
  other.exec("BEGIN IMMEDIATE");
  const change = store.create(sampleThread(1), null);
  // This timer fires only because the wait yields to the event loop.
  setTimeout(() => other.exec("ROLLBACK"), 10);
  expect((await change).created).toBe(true);
  other.close();
  await store.close();
});

test("a database that stays busy is reported with what to do", async () => {
  const busy = () => {
    throw sqliteFailed("cannot publish", sqliteError(5));
  };
  let clockMs = 0;
  const reason = await retryWhileBusy(busy, () => (clockMs += 20_000)).catch((thrown: unknown) =>
    failureFrom(thrown, "INTERNAL"),
  );
  expect(reason).toMatchObject({ code: "STORAGE_FAILED" });
  expect(reason).toHaveProperty("hint", expect.stringContaining("another process"));
});

test("what is not a matter of waiting is not tried again", async () => {
  for (const thrown of [sqliteError(13), new Error("other"), sqliteFailed("x", sqliteError(10))]) {
    let attempts = 0;
    const failing = retryWhileBusy(() => {
      attempts += 1;
      throw thrown;
    });
    await expect(failing).rejects.toBe(thrown);
    expect(attempts).toBe(1);
  }
});

function sqliteError(errcode: number): Error {
  return Object.assign(new Error("sqlite says no"), { code: "ERR_SQLITE_ERROR", errcode });
}
