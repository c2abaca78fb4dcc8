import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import { afterAll, expect, it } from "vitest";
import { programPath } from "./program-path.ts";

const dir = mkdtempSync(join(tmpdir(), "uwf-path-"));
afterAll(() => rmSync(dir, { recursive: true }));

const place = (folder: string, mode: number): string => {
  mkdirSync(join(dir, folder), { recursive: true });
  const file = join(dir, folder, "tool");
  writeFileSync(file, "");
  chmodSync(file, mode);
  return file;
};
const first = place("first", 0o755);
const notOne = place("plain", 0o644);
mkdirSync(join(dir, "folder", "tool"), { recursive: true });
const path = (...folders: string[]): string =>
  folders.map((each) => (each === "" ? "" : join(dir, each))).join(delimiter);

it.each([
  ["by its name", "tool", path("plain", "folder", "gone", "first"), first],
  ["by its path", first, "", first],
  [
    "nowhere, as the folder that is meant by an empty entry does not count",
    "tool",
    path("", "plain"),
    null,
  ],
  ["nowhere without a PATH", "tool", undefined, null],
  ["not by the path of what cannot be run", notOne, path("first"), null],
])("a program is found %s", async (_, name, on, expected) => {
  expect(await programPath(name, on)).toBe(expected);
});

it("a relative entry becomes an absolute path", async () => {
  const folder = relative(process.cwd(), join(dir, "first"));
  expect(await programPath("tool", folder)).toBe(first);
});
