import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const FILE = new URL("../dist/moderator.js", import.meta.url);
const PROGRAM = new URL("evaluator-program.js", FILE);

it.each([
  { what: "the moderator", file: FILE, needs: "node:timers/promises" },
  { what: "the program that evaluates", file: PROGRAM, needs: "node:worker_threads" },
])("$what is published as one file that imports nothing but Node", async ({ file, needs }) => {
  const source = await readFile(file, "utf8");
  const imported = [
    ...source.matchAll(/\bfrom\s*["']([^"']+)["']|\bimport\s*\(?\s*["']([^"']+)["']/gu),
  ];
  expect(imported.map(([, from, bare]) => from ?? bare).toSorted()).toEqual(["node:module", needs]);
});

it("exports the names that the engine and the command line rely on", async () => {
  const names = Object.keys(await import(FILE.href)).toSorted();
  expect(names).toEqual([
    "GroupProgress",
    "LIMITS",
    "Ledger",
    "checkFields",
    "checkPattern",
    "checkRule",
    "checkRuleWarnings",
    "checkTemplate",
    "evaluateModerator",
    "evaluateResult",
    "eventPasses",
    "fillFromEvent",
    "fillTemplate",
    "groupFault",
    "limitBefore",
    "limitWait",
    "openGroup",
    "pickRoute",
    "policyOf",
    "stateAfter",
    "withLimits",
    "withLinearPatterns",
  ]);
});
