import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WorkflowError } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { encodeContent } from "../node/codec.ts";
import { nodeStoreCases } from "../suite/node-store-suite.ts";
import { openFilesStore } from "./files-store.ts";

let root = "";
let folder = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "cas-files-"));
  folder = join(root, "deep", "cas");
});
afterEach(() => rmSync(root, { recursive: true }));

const { hash, text } = encodeContent("kept in a file");

test.each(nodeStoreCases)("a files store $name", async ({ run }) => {
  const damage = async (name: string, bytes: Buffer) =>
    writeFileSync(join(folder, `${name}.txt`), bytes);
  await run({ store: openFilesStore(folder), damage });
});

test("a blob is one file of exactly its bytes, readable by its owner only, and nothing else", async () => {
  await openFilesStore(folder).put("kept in a file");
  expect(readdirSync(folder)).toEqual([`${hash}.txt`]);
  const { size, mode } = statSync(join(folder, `${hash}.txt`));
  expect(size).toBe(Buffer.byteLength(text));
  expect(mode & 0o777).toBe(0o600);
});

test("reading a store that does not exist does not create it, and neither does deleting from it", async () => {
  const store = openFilesStore(folder);
  await store.delete(hash);
  expect(await store.get(hash)).toBe(null);
  expect(await store.list()).toEqual([]);
  expect(readdirSync(root)).toEqual([]);
});

test("a folder in the place of a blob is damage, to readers and to writers", async () => {
  mkdirSync(join(folder, `${hash}.txt`), { recursive: true });
  const store = openFilesStore(folder);
  await expect(store.get(hash)).rejects.toThrow("a folder is in its place");
  await expect(store.put("kept in a file")).rejects.toThrow("a folder is in its place");
  expect(readdirSync(folder)).toEqual([`${hash}.txt`]);
});

test("temporary and foreign files are not listed", async () => {
  await openFilesStore(folder).put("kept in a file");
  for (const name of [".tmp-1-ABC", "README", "short.txt", `${hash}.txt.bak`]) {
    writeFileSync(join(folder, name), "x");
  }
  expect(await openFilesStore(folder).list()).toEqual([hash]);
});

test("an error for a store that cannot be written says where and what to do", async () => {
  writeFileSync(join(root, "file"), "");
  const store = openFilesStore(join(root, "file", "cas"));
  const thrown = await store.put("x").catch((cause: unknown) => cause);
  expect(thrown).toBeInstanceOf(WorkflowError);
  expect(thrown).toMatchObject({
    failure: { code: "STORAGE_FAILED", message: expect.stringContaining(join(root, "file")) },
  });
});

test.each([65_000, 65_536, 70_000, 1_000_000])(
  "a file of about %d bytes is read whole",
  async (length) => {
    const store = openFilesStore(folder);
    const { text: long } = encodeContent("x".repeat(length));
    expect(await store.get(await store.put("x".repeat(length)))).toBe(long);
    expect(await store.get(await store.put("short"))).toBe(encodeContent("short").text);
  },
);
