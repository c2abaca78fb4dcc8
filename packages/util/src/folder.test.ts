import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WorkflowError } from "@uncaged/workflow-protocol";
import { afterAll, expect, test } from "vitest";
import { makeFolderSync, syncFolder, syncFolderSync } from "./folder.ts";

const folder = mkdtempSync(join(tmpdir(), "util-folder-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("folders are made with their parents, for their owner only", () => {
  const deep = join(folder, "a", "b", "c");
  makeFolderSync(deep);
  makeFolderSync(deep);
  expect(readdirSync(deep)).toEqual([]);
  expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o700);
});

test("a folder that cannot be made is named in the error", () => {
  writeFileSync(join(folder, "file"), "");
  const impossible = join(folder, "file", "below");
  expect(() => makeFolderSync(impossible)).toThrow(WorkflowError);
  expect(() => makeFolderSync(impossible)).toThrow(impossible);
});

test("flushing a missing folder fails", async () => {
  await expect(syncFolder(join(folder, "none"))).rejects.toThrow("ENOENT");
  expect(() => syncFolderSync(join(folder, "none"))).toThrow("ENOENT");
  await syncFolder(folder);
  syncFolderSync(folder);
});
