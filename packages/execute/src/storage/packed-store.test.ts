/** Blobs in rows of the index and in files: a lookup finds a blob in either place. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  encodeContent,
  openFilesStore,
  openRootStore,
  PACKED_MAX_BYTES,
} from "@uncaged/workflow-cas";
import { collidingTexts } from "@uncaged/workflow-cas/suite";
import type { RootStore } from "@uncaged/workflow-protocol";
import { type Index, openIndex } from "@uncaged/workflow-store";
import { afterEach, beforeEach, expect, test } from "vitest";

let root = "";
let dir = "";
let index: Index;
let packed: RootStore;
let files: RootStore;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "packed-"));
  dir = join(root, "cas");
  index = await openIndex(root);
  const { blobs: table, threads } = index;
  packed = openRootStore({ dir, table, threads, kind: "packed" });
  files = openRootStore({ dir, table, threads, kind: "files" });
});
afterEach(async () => {
  await index.threads.close();
  rmSync(root, { recursive: true });
});

test("a blob of a packed store is a row, and a long one is a file", async () => {
  const brackets = Buffer.byteLength(encodeContent("").text);
  const longest = await packed.put("x".repeat(PACKED_MAX_BYTES - brackets));
  expect(existsSync(dir)).toBe(false);
  const long = await packed.put("x".repeat(PACKED_MAX_BYTES - brackets + 1));
  expect(readdirSync(dir)).toEqual([`${long}.txt`]);
  expect(await packed.list()).toEqual([longest, long].sort());
  expect(await index.blobs.list()).toEqual([longest]);
});

test("what is stored in one way is read, listed once and deleted in the other", async () => {
  for (const [writer, reader] of [
    [files, packed],
    [packed, files],
  ] as const) {
    const hash = await writer.put("either way");
    expect(await reader.get(hash)).toBe(encodeContent("either way").text);
    expect(await reader.put("either way")).toBe(hash);
    expect(await reader.list()).toEqual([hash]);
    await reader.delete(hash);
    expect([await writer.get(hash), await writer.list()]).toEqual([null, []]);
  }
});

test("a collision is refused wherever the other text lies", async () => {
  const [first, second] = collidingTexts;
  for (const [writer, other] of [
    [files, packed],
    [packed, files],
  ] as const) {
    const hash = await writer.put(first);
    await expect(other.put(second)).rejects.toMatchObject({ failure: { code: "CAS_COLLISION" } });
    await writer.delete(hash);
  }
});

test("a reader who comes while a blob is moved finds it", async () => {
  const { hash, text } = encodeContent("on the move");
  await openFilesStore(dir).put("on the move");
  // The blob is packed after the reader has looked at the rows and before it looks at the files.
  const moving = {
    ...index.blobs,
    read: async (wanted: string) => {
      const row = await index.blobs.read(wanted);
      await packed.put("on the move");
      rmSync(join(dir, `${hash}.txt`), { force: true });
      return row;
    },
  };
  const { threads } = index;
  const reader = openRootStore({ dir, table: moving, threads, kind: "packed" });
  expect(await reader.get(hash)).toBe(text);
});
