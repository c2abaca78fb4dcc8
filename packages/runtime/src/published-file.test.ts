import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const FILE = new URL("../dist/runtime.js", import.meta.url);
const DATA_FILE = new URL("../dist/runtime-data.js", import.meta.url);

it.each([
  ["of authors", FILE],
  ["of data", DATA_FILE],
])("is published as one file that imports nothing but Node: the entry %s", async (_, file) => {
  const source = await readFile(file, "utf8");
  const imported = [
    ...source.matchAll(/\bfrom\s*["']([^"']+)["']|\bimport\s*\(?\s*["']([^"']+)["']/gu),
  ];
  expect(imported.map(([, from, bare]) => from ?? bare)).toEqual([
    "node:module",
    "node:timers/promises",
  ]);
});

it("has the licences of its contents beside the file", async () => {
  const licenses = await readFile(new URL("./licenses.txt", FILE), "utf8");
  expect(licenses.match(/^[a-z0-9@/.-]+ \d+\.\d+\.\d+$/gmu)).toEqual([
    expect.stringMatching(/^jsonata /u),
    expect.stringMatching(/^re2js /u),
    expect.stringMatching(/^zod /u),
  ]);
});

it("exports the names that authors rely on", async () => {
  const names = Object.keys(await import(FILE.href)).toSorted();
  expect(names).toEqual([
    "END",
    "START",
    "SUSPEND",
    "buildDescriptor",
    "createWorkflow",
    "definePerson",
    "defineRole",
    "defineWorkflow",
    "namedAgent",
    "workflowAsAgent",
  ]);
});

it("exports one name for bundles that are data", async () => {
  expect(Object.keys(await import(DATA_FILE.href))).toEqual(["workflowFromData"]);
});
