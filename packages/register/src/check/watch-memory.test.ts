import { expect, it, onTestFinished, vi } from "vitest";
import { atImport, attempt } from "../attempt.test.helper.ts";

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
  const { code: refused, message, left } = await attempt(atImport(code), onTestFinished);
  expect([refused, left]).toEqual(["BUNDLE_INVALID", []]);
  expect(message).toMatch(/needs more than \d+ MiB of memory/);
});
