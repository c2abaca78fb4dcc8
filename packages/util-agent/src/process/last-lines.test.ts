import { expect, test } from "vitest";
import { lastLines } from "./last-lines.ts";

test("a program's last lines are kept, but no more than fit an error message", () => {
  expect(lastLines("1\n2\n3\n4\n5\n6\n7\n\n")).toBe("2\n3\n4\n5\n6\n7");
  expect(lastLines("x".repeat(5_000))).toHaveLength(1_000);
  expect(lastLines("\n \n")).toBe("");
});

test("a character cut in the middle is replaced", () => {
  expect(lastLines(`😀${"x".repeat(999)}`)).toBe(`\uFFFD${"x".repeat(999)}`);
});

test("the cause is not hidden by the frames of its stack", () => {
  const stderr = `node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module '/home/me/practice.mjs'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at TracingChannel.traceSync (node:diagnostics_channel:322:14)
    at async file:///home/me/main.mjs:3:1
    at node:internal/main/run_main_module:33:47 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v26.10.0
`;
  expect(lastLines(stderr)).toBe(`  ^
Error: Cannot find module '/home/me/practice.mjs'
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}
Node.js v26.10.0`);
});
