import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeProject } from "./write-project.ts";

const FILES = [
  { path: ".gitignore", text: "dist/\n" },
  { path: "src/workflow.ts", text: "export {};\n" },
];
/** A file cannot also be a folder: the second of these fails once the first is written. */
const IMPOSSIBLE = [...FILES, { path: ".gitignore/inner", text: "" }];

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "uwf-project-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const tree = (): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();

test("a missing folder is created, with its parents", async () => {
  const result = await writeProject(join(folder, "a", "flows"), FILES);
  expect(result.ok).toBe(true);
  expect(tree()).toEqual([
    "a",
    join("a", "flows"),
    join("a", "flows", ".gitignore"),
    join("a", "flows", "src"),
    join("a", "flows", "src", "workflow.ts"),
  ]);
  expect(readFileSync(join(folder, "a", "flows", ".gitignore"), "utf8")).toBe("dist/\n");
});

test("an empty folder is filled and remains the same folder", async () => {
  const before = statSync(folder).ino;
  expect((await writeProject(folder, FILES)).ok).toBe(true);
  expect(tree()).toEqual([".gitignore", "src", join("src", "workflow.ts")]);
  expect(statSync(folder).ino).toBe(before);
});

test("a folder with content is refused and left unchanged", async () => {
  mkdirSync(join(folder, "flows"));
  writeFileSync(join(folder, "flows", "notes.txt"), "mine");
  const result = await writeProject(join(folder, "flows"), FILES);
  expect(!result.ok && result.error.code).toBe("TARGET_EXISTS");
  expect(tree()).toEqual(["flows", join("flows", "notes.txt")]);
});

test("a file in the folder's place is refused and left unchanged", async () => {
  writeFileSync(join(folder, "flows"), "mine");
  const result = await writeProject(join(folder, "flows"), FILES);
  expect(!result.ok && result.error.code).toBe("TARGET_EXISTS");
  expect(readFileSync(join(folder, "flows"), "utf8")).toBe("mine");
});

test("a failure half-way leaves nothing behind, neither in a new folder nor in an empty one", async () => {
  const fresh = await writeProject(join(folder, "a", "flows"), IMPOSSIBLE);
  expect(!fresh.ok && fresh.error.code).toBe("STORAGE_FAILED");
  expect(tree()).toEqual([]);
  const empty = await writeProject(folder, IMPOSSIBLE);
  expect(!empty.ok && empty.error.code).toBe("STORAGE_FAILED");
  expect(tree()).toEqual([]);
});
