/** Follows the root README to the letter, with only npm; then makes the backup of docs/storage.md from the result. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Newcomer, openNewcomer, RELEASED } from "./newcomer.test.helper.ts";
import { runBash, shownCommands } from "./shell.test.helper.ts";
import { steadyText } from "./steady-text.test.helper.ts";

let newcomer: Newcomer;
beforeAll(async () => {
  newcomer = await openNewcomer({ ours: "nowhere" });
});
afterAll(() => newcomer.close());

const REPOSITORY = new URL("../../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, REPOSITORY), "utf8");

describe("the README", () => {
  it("begins with the demo and the tests", () => {
    expect(shownCommands(read("README.md"))[0]).toMatch(/^npm run demo .*\nnpm test /);
  });

  it("puts the command on the PATH, from a clone or from a registry that has it", {
    timeout: 300_000,
  }, async () => {
    const [, link = "", install = ""] = shownCommands(read("README.md"));
    expect(link).toMatch(/^npm run link /);
    expect(install).toBe("npm install --global @uncaged/cli-workflow\n");
    if (RELEASED === undefined) {
      const env = { ...process.env, npm_config_prefix: newcomer.global };
      const linked = await runBash(link, { cwd: fileURLToPath(REPOSITORY), env });
      expect([linked.code, linked.stdout]).toEqual([0, expect.stringContaining(newcomer.global)]);
    } else await newcomer.succeeds(install);
    expect(await newcomer.succeeds("uwf --version")).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("shows a walk that works, and what its commands print", { timeout: 300_000 }, async () => {
    const walk = shownSteps(section(read("README.md"), "Ten minutes"));
    expect(walk.length).toBeGreaterThan(7);
    const printed = (await newcomer.succeeds(inOneShell(walk))).split(BETWEEN);
    for (const [at, { commands, output }] of walk.entries()) {
      if (output !== null) expect(steadyText(printed[at] ?? ""), commands).toBe(steadyText(output));
    }
    expect(printed.at(-1)).toContain("Nothing is wrong.");
  });
});

describe("the guide to storage", () => {
  it("shows a complete backup", { timeout: 60_000 }, async () => {
    const [backup = "", restore = ""] = shownCommands(section(read("docs/storage.md"), "Backup"));
    const restored = await newcomer.succeeds(`${backup}${restore}`);
    expect(restored).toMatch(/3 threads, \d+ blobs, as of /);
    expect(restored).toContain("Nothing is wrong.");
    const ids = "uncaged-workflow thread list --json";
    const copy = 'export WORKFLOW_STORAGE_ROOT="$PWD/restored"';
    const kept = await newcomer.json<{ threads: unknown[] }>(`${copy}\n${ids}`);
    expect(kept.threads).toHaveLength(3);
    expect(kept).toEqual(await newcomer.json(ids));
  });
});

/** Commands, and the output that is shown right after them. */
type ShownStep = { commands: string; output: string | null };

function shownSteps(markdown: string): ShownStep[] {
  const steps = markdown.matchAll(/^```sh\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```\n)?/gm);
  return [...steps].map(([, commands = "", output = null]) => ({ commands, output }));
}

function section(markdown: string, heading: string): string {
  const [, after = ""] = markdown.split(`\n## ${heading}\n`);
  return after.split(/^## /m)[0] ?? "";
}

const BETWEEN = "\u001e";

/** A reader types everything into one shell: the folder and variables carry over. */
function inOneShell(steps: readonly ShownStep[]): string {
  return steps.map(({ commands }) => commands).join("printf '\\036'\n");
}
