/** Follows docs/running-many.md to the letter. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { openShell, type Shell, shownCommands } from "./shell.test.helper.ts";

const PAGE = readFileSync(new URL("../../../docs/running-many.md", import.meta.url), "utf8");
const SCAFFOLD = fileURLToPath(new URL("../scaffold/minimal/src/workflow.ts", import.meta.url));
/** A reader sees that the host is up before the next command; a script has to ask. */
const ONCE_UP = `until uncaged-workflow status --json | grep -q '"pid"'; do :; done\n`;
const WORKER_UP = `until uncaged-workflow worker list --json | grep -q '"worker"'; do :; done\n`;

let cli: Cli;
let shell: Shell;
beforeAll(async () => {
  cli = openCli();
  shell = openShell(cli);
  const file = join(cli.dir, "demo.esm.js");
  await cli.json(["workflow", "build", SCAFFOLD, "--out", file]);
  await cli.json(["workflow", "add", "demo", file]);
});
afterAll(async () => {
  await cli.run(["down"]);
  await cli.close();
});

it("shows commands that work one after the other", async () => {
  const session = shownCommands(PAGE)
    .join("")
    .replace("up &\n", `up &\n${ONCE_UP}`)
    .replace("--at-once 4 &\n", `--at-once 4 &\n${WORKER_UP}`);
  const { code, stdout } = await shell.run(session);
  expect(code).toBe(0);
  expect(stdout).toContain("hosting the threads of");
  expect(stdout).toMatch(/worker \d+ of [0-9A-Z]{13}: 0 threads/);
  expect(stdout).toContain("ended the host, process");
  expect(stdout).toMatch(/worker \S+ has ended/);
  const [, written = ""] = /wrote (.*)\n/.exec(stdout) ?? [];
  expect(stdout).toContain(readFileSync(written, "utf8"));
});
