import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { filesIn, tidyPage } from "./tidy-page.mjs";

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "uwf-tidy-"));
  mkdirSync(join(folder, "assets"));
  for (const name of [
    "index.html",
    "assets/app-new.js",
    "assets/app-old.js",
    "assets/app-old.js.gz",
  ])
    writeFileSync(join(folder, name), name);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("files of an earlier build are removed, those of the last one stay", () => {
  const names = ["index.html", "assets/app-new.js"];
  expect(tidyPage(folder, names)).toEqual(["assets/app-old.js", "assets/app-old.js.gz"]);
  expect(filesIn(folder)).toEqual(["assets/app-new.js", "index.html"]);
  expect(tidyPage(`${folder}/`, names)).toEqual([]);
});

test("a list that names what is not there removes nothing else", () => {
  tidyPage(folder, ["index.html", "assets/app-new.js", "assets/gone.js"]);
  expect(existsSync(join(folder, "index.html"))).toBe(true);
  expect(filesIn(folder)).toHaveLength(2);
});
