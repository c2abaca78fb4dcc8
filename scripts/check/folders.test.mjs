import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { folderProblems } from "./folders.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGES = ["cas", "store", "execute", "cli", "register", "util-agent"];
let copy;

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), "uwf-folders-"));
  for (const name of PACKAGES) {
    cpSync(join(root, "packages", name, "src"), join(copy, "packages", name, "src"), {
      recursive: true,
    });
  }
});

afterEach(() => rmSync(copy, { recursive: true, force: true }));

test("the folders of the repository keep to their floors", () => {
  expect(folderProblems(root)).toEqual([]);
});

test.each([
  ["an import", `import { runThread } from "../run/run-thread.ts";`],
  ["an export", `export { runThread } from "../run/run-thread.ts";`],
  ["a type", `export type { Later } from "../run/run-thread.ts";`],
  ["a side effect", `import "../run/run-thread.ts";`],
  ["a load on demand", `export const later = () => import("../run/run-thread.ts");`],
  ["a type on demand", `export type Later = import("../run/run-thread.ts").Later;`],
])("%s from a floor above is refused", (_, line) => {
  appendFileSync(inCopy("execute/src/chain/chain.ts"), `\n${line}\n`);
  expect(folderProblems(copy)).toEqual([
    "packages/execute/src/chain/chain.ts: may not import ../run/run-thread.ts (chain -> run)",
  ]);
});

test("an import from another folder of the same floor is refused", () => {
  appendFileSync(inCopy("execute/src/run/run-thread.ts"), `\nimport "../table/dry-run.ts";\n`);
  expect(folderProblems(copy)).toHaveLength(1);
});

test("a folder that the table does not know is refused", () => {
  mkdirSync(inCopy("cli/src/misc"));
  writeFileSync(inCopy("cli/src/misc/thing.ts"), "export const thing = 1;\n");
  expect(folderProblems(copy)).toEqual(["packages/cli/src/misc: has no floor in the table"]);
});

test("a test may import from everywhere", () => {
  appendFileSync(
    inCopy("execute/src/chain/walk-chain.test.ts"),
    `\nimport "../run/run-thread.ts";\n`,
  );
  expect(folderProblems(copy)).toEqual([]);
});

const inCopy = (path) => join(copy, "packages", path);
