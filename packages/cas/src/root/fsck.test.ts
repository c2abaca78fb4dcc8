import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { asidePath, blobPath } from "../files/files-layout.ts";
import { openFilesStore } from "../files/files-store.ts";
import { encodeContent } from "../node/codec.ts";
import { hashBytes } from "../node/hash.ts";
import { filesOnly } from "./files-only.test.helper.ts";

const leaf = encodeContent("leaf");
const root = encodeContent("root", [leaf.hash]);
const other = encodeContent("other");

let dir = "";
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "cas-fsck-"));
  await openFilesStore(dir).putBatch([leaf, root, other]);
});
afterEach(() => rmSync(dir, { recursive: true }));

const check = () => filesOnly(dir).check([root.hash]);

test("a sound store is clean, and every blob was checked", async () => {
  expect(await check()).toEqual({ ok: true, checked: 3, problems: [] });
});

test("a store that does not exist is clean and empty", async () => {
  expect(await filesOnly(join(dir, "none")).check([])).toEqual({
    ok: true,
    checked: 0,
    problems: [],
  });
});

test.each<[string, (bytes: Buffer) => Buffer]>([
  ["a flipped bit", (bytes) => Buffer.from(bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte)))],
  ["a truncated blob", (bytes) => bytes.subarray(0, -3)],
  ["a zero-filled blob", (bytes) => Buffer.alloc(bytes.length)],
  ["an empty blob", () => Buffer.alloc(0)],
  ["a swapped blob", () => Buffer.from(encodeContent("swapped").text)],
])("%s is found, whether anything reaches it or not", async (_what, spoil) => {
  for (const victim of [leaf, other]) {
    writeFileSync(blobPath(dir, victim.hash), spoil(readFileSync(blobPath(dir, victim.hash))));
  }
  const report = await check();
  expect(report).toMatchObject({ ok: false, checked: 3 });
  expect(report.problems).toHaveLength(2);
  for (const { hash } of [leaf, other]) {
    expect(report.problems).toContainEqual(expect.objectContaining({ code: "CAS_CORRUPT", hash }));
  }
});

test("a folder in the place of a blob is found", async () => {
  rmSync(blobPath(dir, other.hash));
  mkdirSync(blobPath(dir, other.hash));
  expect((await check()).problems).toMatchObject([{ code: "CAS_CORRUPT", hash: other.hash }]);
});

test("a missing blob is found, with what refers to it", async () => {
  rmSync(blobPath(dir, leaf.hash));
  expect(await check()).toEqual({
    ok: false,
    checked: 2,
    problems: [
      {
        code: "CAS_MISSING",
        hash: leaf.hash,
        message: `blob ${leaf.hash} is missing (a reference of ${root.hash})`,
      },
    ],
  });
});

test("a missing root is found", async () => {
  rmSync(blobPath(dir, root.hash));
  expect((await check()).problems).toMatchObject([{ code: "CAS_MISSING", hash: root.hash }]);
});

test.each([
  ["no node at all", "just text\n"],
  ["a node with other line ends", other.text.replaceAll("\n", "\r\n")],
  ["a node with spaces that ours have not", other.text.replace('"content"', ' "content"')],
  ["a node with a number that JSON cannot hold", 'type: "content"\npayload: 1e999\nrefs: []\n'],
])("%s is found although its name fits its bytes", async (_what, text) => {
  const hash = hashBytes(text);
  writeFileSync(blobPath(dir, hash), text);
  expect((await check()).problems).toMatchObject([{ code: "CAS_NOT_A_NODE", hash }]);
});

test("foreign files are reported, each by its name; the store's own are not", async () => {
  for (const name of ["notes.txt", "x.tmp", ".tmp-1-ABC", `${leaf.hash}.txt~`]) {
    writeFileSync(join(dir, name), "");
  }
  const report = await check();
  expect(report.ok).toBe(false);
  expect(report.problems.map(({ code }) => code)).toEqual(Array(3).fill("CAS_STRANGE_FILE"));
  const messages = report.problems.map(({ message }) => message).join("\n");
  for (const name of ["notes.txt", "x.tmp", `${leaf.hash}.txt~`]) expect(messages).toContain(name);
});

test("a needed blob in quarantine exists; a damaged one does not", async () => {
  const aside = asidePath(dir, 1_716_000_000_000);
  mkdirSync(aside, { recursive: true });
  renameSync(blobPath(dir, leaf.hash), blobPath(aside, leaf.hash));
  expect(await check()).toEqual({ ok: true, checked: 2, problems: [] });
  writeFileSync(blobPath(aside, leaf.hash), "rot");
  expect((await check()).problems).toMatchObject([{ code: "CAS_CORRUPT", hash: leaf.hash }]);
});
