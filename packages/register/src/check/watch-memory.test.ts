import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { err } from "@uncaged/workflow-protocol";
import { expect, it, onTestFinished, vi } from "vitest";
import { bundleSource, emptyBase, lockedChildren, scratchFolder } from "../scratch.test.helper.ts";
import { checkBundle } from "./check-bundle.ts";
import { LOCKED_LIMITS } from "./run-locked-child.ts";

// Processes are started, perhaps on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

it.each([
  [
    "buffers",
    "const kept = []; for (;;) kept.push(Buffer.alloc(16 * 1024 * 1024, kept.length + 1));",
  ],
  [
    "memory of WebAssembly",
    "const kept = []; for (;;) { const memory = new WebAssembly.Memory({ initial: 1024 }); new Uint8Array(memory.buffer).fill(1); kept.push(memory); }",
  ],
])("a bundle that fills the memory with %s when it is imported is killed", async (_name, code) => {
  const folder = scratchFolder(onTestFinished);
  const root = join(folder, "root");
  // The child's working directory, where a trace or a core file would appear.
  const beside = new Set(readdirSync("/"));
  const checked = await checkBundle({
    bytes: Buffer.from(bundleSource(code)),
    place: "flow.esm.js",
    bases: { root, packagesBase: emptyBase(folder) },
    sidecar: null,
    checkRule: () => null,
    // Memory that a virtual machine has not used before may come so slowly that the time is over first.
    limits: { ...LOCKED_LIMITS, importMs: 60_000 },
  });
  expect(checked).toEqual(
    err(
      expect.objectContaining({
        code: "BUNDLE_INVALID",
        message: expect.stringMatching(/needs more than 512 MiB of memory/),
      }),
    ),
  );
  expect(existsSync(root)).toBe(false);
  expect(readdirSync("/").filter((name) => !beside.has(name))).toEqual([]);
  expect(lockedChildren()).toEqual([]);
});
