import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { sweepLeftovers } from "./sweep-leftovers.ts";

const HOUR_MS = 60 * 60 * 1000;
const NOW_MS = 1_800_000_000_000;
const HASH = "B71346NXA06JV";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "uwf-leftovers-"));
  mkdirSync(join(root, "bundles", HASH), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, ageMs: number): void {
  const changed = new Date(NOW_MS - ageMs);
  writeFileSync(join(root, path), "half");
  utimesSync(join(root, path), changed, changed);
}

it("removes temporary files whose writers are long gone, and nothing else", async () => {
  write(".workflow.yaml.0123ABCD.tmp", HOUR_MS);
  write(".workflow.yaml.9999ZZZZ.tmp", 1_000);
  write("workflow.yaml", HOUR_MS);
  write("notes.tmp", HOUR_MS);
  write(".mine.tmp", HOUR_MS);
  write(`bundles/${HASH}/.build.json.0123ABCD.tmp`, HOUR_MS);
  write(`bundles/${HASH}/build.json`, HOUR_MS);
  await sweepLeftovers(root, NOW_MS);
  expect(readdirSync(root).sort()).toEqual([
    ".mine.tmp",
    ".workflow.yaml.9999ZZZZ.tmp",
    "bundles",
    "notes.tmp",
    "workflow.yaml",
  ]);
  expect(readdirSync(join(root, "bundles", HASH))).toEqual(["build.json"]);
});

it("does nothing where there is no root", async () => {
  await sweepLeftovers(join(root, "nowhere"), NOW_MS);
});
