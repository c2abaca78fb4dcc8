/** Follows docs/schedules.md to the letter. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { openShell, type Shell, shownCommands } from "./shell.test.helper.ts";

const PAGE = readFileSync(new URL("../../../docs/schedules.md", import.meta.url), "utf8");
const SCAFFOLD = fileURLToPath(new URL("../scaffold/minimal/src/workflow.ts", import.meta.url));

let cli: Cli;
let shell: Shell;
beforeAll(async () => {
  cli = openCli();
  shell = openShell(cli);
  const file = join(cli.dir, "demo.esm.js");
  await cli.json(["workflow", "build", SCAFFOLD, "--out", file]);
  await cli.json(["workflow", "add", "demo", file]);
});
afterAll(() => cli.close());

it("shows commands that work one after the other", async () => {
  const { code, stdout } = await shell.run(shownCommands(PAGE).join(""));
  expect(code).toBe(0);
  expect(stdout).toContain("nothing fires; start one with: uncaged-workflow up");
  expect(stdout).toContain("5 due times of weekdays will be made up for");
  expect(stdout).toMatch(/^weekdays +demo +0 9 \* \* 1-5 \(Europe\/Zurich\)/m);
  expect(stdout).toMatch(/^2026-11-06T08:00:00Z +waiting$/m);
  expect(stdout).toMatch(/^often is paused/m);
  expect(stdout).toMatch(/^next: /m);
  expect(stdout).toMatch(/^scans +demo +active +new files in .*scans$/m);
  expect(stdout).toMatch(/^secret, shown this once: whsec_/m);
  expect(stdout.match(/^[0-9A-Z]{26}$/gm)).toHaveLength(3);
});
