/** The worked examples of docs/testing-workflows.md, run exactly as shown. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { openShell, shownCommands } from "./shell.test.helper.ts";

const PAGE = readFileSync(new URL("../../../docs/testing-workflows.md", import.meta.url), "utf8");
const SOURCES = fileURLToPath(new URL("../scaffold/minimal/src", import.meta.url));
const MODULES = fileURLToPath(new URL("../node_modules", import.meta.url));

let cli: Cli;
beforeAll(() => {
  cli = openCli();
});
afterAll(() => cli.close());

/** The code blocks in a language. */
function shown(language: string): string[] {
  const blocks = PAGE.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm"));
  return [...blocks].map(([, code = ""]) => code);
}

it("shows files and commands that work one after the other, and what they print", async () => {
  cpSync(SOURCES, join(cli.dir, "src"), { recursive: true });
  writeFileSync(join(cli.dir, "package.json"), '{ "name": "flow", "type": "module" }\n');
  symlinkSync(MODULES, join(cli.dir, "node_modules"));
  for (const file of [...shown("yaml"), ...shown("ts")]) {
    const name = /^(?:#|\/\/) (\S+)$/m.exec(file)?.[1] ?? "";
    mkdirSync(dirname(join(cli.dir, name)), { recursive: true });
    writeFileSync(join(cli.dir, name), file);
  }
  const shell = openShell({ dir: cli.dir, root: cli.root });
  const commands = shownCommands(PAGE);
  expect(commands.length).toBeGreaterThan(5);
  const { code, stdout, stderr } = await shell.run(commands.join(""));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const printed of shown("text")) expect(stdout).toContain(printed);
  expect(stdout).toContain("exit code 1\n");
  expect(stdout).toMatch(/^version \w+ replaced by \w+ /m);
  expect(stdout).toMatch(/^ok: \d+ nodes checked, no problem found$/m);
});
