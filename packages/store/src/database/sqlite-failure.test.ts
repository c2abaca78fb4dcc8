import { failure, WorkflowError } from "@uncaged/workflow-protocol";
import { expect, test } from "vitest";
import { isBusy, sqliteFailed } from "./sqlite-failure.ts";

test("a failure says what was tried, what SQLite said, and what to do about it", () => {
  const full = sqliteFailed("cannot publish in /data/index.db", sqliteError(13));
  expect(full.failure).toEqual({
    code: "STORAGE_FAILED",
    message: "cannot publish in /data/index.db: sqlite says no",
    hint: "free some disk space, then try again",
  });
});

test("an extended result code is told by its primary one", () => {
  const flush = sqliteFailed("cannot publish", sqliteError(10 | (4 << 8)));
  expect(flush.failure.hint).toContain("disk reports errors");
  expect(isBusy(sqliteError(5 | (1 << 8)))).toBe(true);
});

test("whatever else was thrown has a hint, too", () => {
  for (const thrown of [new Error("no"), "no", null]) {
    expect(sqliteFailed("cannot publish", thrown).failure.hint).not.toBe("");
    expect(isBusy(thrown)).toBe(false);
  }
});

test("a failure that is ours already is not wrapped again", () => {
  const lost = new WorkflowError(failure("LEASE_LOST", "lost", "look"));
  expect(sqliteFailed("cannot publish", lost)).toBe(lost);
});

test("a busy database is known also inside a failure", () => {
  expect(isBusy(sqliteFailed("cannot publish", sqliteError(5)))).toBe(true);
  expect(isBusy(sqliteFailed("cannot publish", sqliteError(13)))).toBe(false);
});

function sqliteError(errcode: number): Error {
  return Object.assign(new Error("sqlite says no"), { code: "ERR_SQLITE_ERROR", errcode });
}
