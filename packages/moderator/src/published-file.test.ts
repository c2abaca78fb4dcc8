import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const FILE = new URL("../dist/moderator.js", import.meta.url);

it("is published as one file that imports nothing but Node", async () => {
  const source = await readFile(FILE, "utf8");
  const imported = [
    ...source.matchAll(/\bfrom\s*["']([^"']+)["']|\bimport\s*\(?\s*["']([^"']+)["']/gu),
  ];
  expect(imported.map(([, from, bare]) => from ?? bare)).toEqual(["node:module"]);
});

it("keeps the terms of what is inside beside the file", async () => {
  const licenses = await readFile(new URL("./licenses.txt", FILE), "utf8");
  expect(licenses.match(/^[a-z0-9@/.-]+ \d+\.\d+\.\d+$/gmu)).toEqual([
    expect.stringMatching(/^jsonata /u),
    expect.stringMatching(/^re2js /u),
  ]);
});

it("offers the names that the engine and the command line rely on", async () => {
  const names = Object.keys(await import(FILE.href)).toSorted();
  expect(names).toEqual([
    "LIMITS",
    "checkPattern",
    "checkRule",
    "checkRuleWarnings",
    "checkTemplate",
    "evaluateModerator",
    "fillTemplate",
    "pickRoute",
  ]);
});
