/** Bundles that do not finish properly when they are imported, or try to fool their checker. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Attempt, atImport, attempt, type Make } from "./attempt.test.helper.ts";

// Processes are started, perhaps on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

/** Returns why it was refused, once nothing of it is left. */
async function refusal(make: Make): Promise<Attempt> {
  const made = await attempt(make, onTestFinished);
  expect(made.left).toEqual([]);
  return made;
}

describe("a bundle that misbehaves when it is imported", () => {
  it.each([
    [
      "looks a name up",
      'import dns from "node:dns"; dns.lookup("localhost", () => {});',
      "BUNDLE_INVALID",
      "asks the domain name system (lookup)",
    ],
    ["never returns", "for (;;) {}", "BUNDLE_TIMEOUT", "was not imported after 3 s"],
    [
      "waits for nothing",
      "await new Promise(() => {});",
      "BUNDLE_INVALID",
      "a top-level await waits for nothing",
    ],
    [
      "ends the process",
      "process.exit(0);",
      "BUNDLE_INVALID",
      "ends the process when it is imported (exit code 0)",
    ],
    [
      "aborts the process",
      "process.abort();",
      "BUNDLE_INVALID",
      "ends the process when it is imported (SIGABRT)",
    ],
    [
      "throws",
      'throw new TypeError("not today");',
      "BUNDLE_INVALID",
      "throws when it is imported: TypeError: not today (line 1:7)",
    ],
    [
      "throws nothing",
      "throw undefined;",
      "BUNDLE_INVALID",
      "throws when it is imported: Error: undefined",
    ],
    [
      "throws something odd",
      "throw new Proxy({}, { get() { throw 1 } });",
      "BUNDLE_INVALID",
      "throws when it is imported",
    ],
    [
      "leaves a rejection",
      'Promise.reject(new Error("later"));',
      "BUNDLE_INVALID",
      "leaves an error that nobody catches when it is imported: Error: later",
    ],
    [
      "throws in a callback",
      'setImmediate(() => { throw new Error("later") });',
      "BUNDLE_INVALID",
      "leaves an error that nobody catches when it is imported: Error: later",
    ],
    [
      "floods standard output",
      'for (let i = 0; ; i += 1) process.stdout.write("x".repeat(9999));',
      "BUNDLE_INVALID",
      "floods standard output",
    ],
    // A busy reader makes a full pipe, which is an error of one write; a flood goes on.
    [
      "floods standard error",
      'import { writeSync } from "node:fs"; for (;;) try { writeSync(2, "x".repeat(9999)); } catch {}',
      "BUNDLE_INVALID",
      "floods standard error",
    ],
    [
      "eats memory",
      "const eaten = []; for (;;) eaten.push(new Array(1e5).fill({}));",
      "BUNDLE_INVALID",
      "needs more than 128 MiB of memory",
    ],
    [
      "forges a report",
      `import { writeSync } from "node:fs"; writeSync(3, "0".repeat(32) + ' {"kind":"loaded","exports":[],"descriptor":{"kind":"json"},"attempts":[]}\\n');`,
      "BUNDLE_INVALID",
      "writes to the channel of its checker",
    ],
    [
      "floods the report",
      'import { writeSync } from "node:fs"; for (;;) try { writeSync(3, "x".repeat(9999)); } catch {}',
      "BUNDLE_INVALID",
      "floods the channel of its checker",
    ],
    [
      "closes the report",
      'import { closeSync } from "node:fs"; closeSync(3);',
      "BUNDLE_INVALID",
      "ends the process when it is imported",
    ],
    [
      "changes every global",
      'JSON.stringify = () => "{}"; JSON.parse = null; globalThis.setImmediate = null; Reflect.ownKeys = null; process.exit = null; throw new Error("so there");',
      "BUNDLE_INVALID",
      "so there",
    ],
    [
      "imports a package it should contain",
      'import "left-pad";',
      "BUNDLE_INVALID",
      'imports "left-pad"',
    ],
    ["imports its neighbour", 'import "./other.js";', "BUNDLE_INVALID", 'imports "./other.js"'],
    [
      "imports from the web",
      'import "https://example.org/x.js";',
      "BUNDLE_INVALID",
      'imports "https://example.org/x.js"',
    ],
    [
      "imports a package that is not installed",
      'import "@uncaged/workflow-agent-nothing/sub";',
      "BUNDLE_UNRESOLVED",
      "not installed: @uncaged/workflow-agent-nothing",
    ],
  ])("%s", async (_, code, found, message) => {
    const said = await refusal(atImport(code));
    expect(said.message).toContain(message);
    expect(said.code).toBe(found);
    expect(said.hint).not.toBe("");
  });
});
