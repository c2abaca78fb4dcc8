import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readStoreKind } from "./read-store-kind.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "store-kind-"));
});
afterEach(() => rmSync(root, { recursive: true }));

test.each([
  ["", "files"],
  ["config: { maxDepth: 3 }\n", "files"],
  ["config:\n  store: packed\n", "packed"],
  ["config:\n  store: files\n", "files"],
  ["config:\n  # store: packed\n", "files"],
  [`workflows: {}\nconfig: { "st\\u006fre": packed }\n`, "packed"],
])("%j keeps blobs in %s", async (text, kind) => {
  writeFileSync(join(root, "workflow.yaml"), text);
  expect(await readStoreKind(root)).toEqual({ ok: true, value: kind });
});

test("a root without a registry keeps blobs in files", async () => {
  expect(await readStoreKind(root)).toEqual({ ok: true, value: "files" });
});

test("an unknown kind of store is refused", async () => {
  writeFileSync(join(root, "workflow.yaml"), "config:\n  store: boxes\n");
  expect(await readStoreKind(root)).toMatchObject({ ok: false, error: { code: "CONFIG_INVALID" } });
});
