import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openThreadStore } from "./sqlite-store.ts";
import { heldWriteLock, parseHolder } from "./write-lock.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "store-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

it("an index that can be written, or does not exist, is not locked", async () => {
  expect(await heldWriteLock(root, 0)).toBeNull();
  const store = await openThreadStore(root);
  expect(await heldWriteLock(root, 0)).toBeNull();
  await store.close();
});

it("an index that is locked is, until it is given back", async () => {
  const store = await openThreadStore(root);
  const writer = new DatabaseSync(join(root, "index.db"));
  writer.exec("BEGIN IMMEDIATE");
  expect(await heldWriteLock(root, 100)).not.toBeNull();
  writer.exec("ROLLBACK");
  expect(await heldWriteLock(root, 100)).toBeNull();
  writer.close();
  await store.close();
});

const LOCKS = `1: POSIX  ADVISORY  READ  7 00:31:42 123 123
2: POSIX  ADVISORY  WRITE 8 00:31:43 120 120
3: FLOCK  ADVISORY  WRITE 9 00:31:44 0 EOF
4: POSIX  ADVISORY  WRITE 10 00:31:42 120 120
4: -> POSIX  ADVISORY  WRITE 11 00:31:42 120 120
5: OFDLCK ADVISORY  WRITE -1 00:31:45 120 120
6: POSIX  ADVISORY  WRITE 12 00:31:46 0 EOF
`;

it.each([
  ["has it, not who waits for it or reads", 42, 10],
  ["has the whole file", 46, 12],
  ["is no process that we can see", 45, null],
  ["is nobody", 47, null],
])("who holds a lock is found by file and byte: who %s", (_who, ino, pid) => {
  expect(parseHolder(LOCKS, { ino, byte: 120 })).toBe(pid);
});
