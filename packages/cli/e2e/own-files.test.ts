/** The command's first lines when the files of its program cannot be read. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { BIN } from "./cli.test.helper.ts";

/** Runs the first lines with this code as the program. */
function start(code: string, args: string[]): { status: number | null; stderr: string } {
  const folder = mkdtempSync(join(tmpdir(), "uwf-own-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "dist/cli"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "dist/cli/main.js"), code);
  cpSync(BIN, join(folder, "bin/start.mjs"));
  const options = { encoding: "utf8", timeout: 20_000 } as const;
  return spawnSync(process.execPath, [join(folder, "bin/start.mjs"), ...args], options);
}

const failing = (message: string): string => `throw new Error(${JSON.stringify(message)});`;

it.each([
  ["EMFILE: too many open files, open '/x/chunk.js'", "raise the limit of open files (ulimit -n)"],
  ["Cannot read package config /x/package.json: i/o error.", "check the disk and its file system"],
])("says what the system refused: %s", (message, hint) => {
  const text = start(failing(message), ["thread", "list"]);
  expect(text.stderr).toBe(
    `error: a system call failed: ${message} [STORAGE_FAILED]\nhint: ${hint}, then try again\n`,
  );
  const document = start(failing(message), ["--json", "thread", "list"]);
  expect(JSON.parse(document.stderr)).toMatchObject({
    error: { code: "STORAGE_FAILED", message: expect.stringContaining(message) },
  });
  expect([text.status, document.status]).toEqual([5, 5]);
});

it("hides no defect", () => {
  const { status, stderr } = start(failing("x is not a function"), []);
  expect(status).toBe(1);
  expect(stderr).toMatch(/x is not a function[\s\S]+main\.js:1/);
});
