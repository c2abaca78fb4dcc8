/** What the skills show is what works. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isErrorCode } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allCommands } from "../src/command-tree.ts";
import { COMMANDS } from "../src/commands.ts";
import { TOPICS } from "../src/skill/topics.ts";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { openShell, type Shell, shownCommands } from "./shell.test.helper.ts";

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

async function textOf(topic: string): Promise<string> {
  const { text } = await cli.json<{ topic: string; text: string }>(["skill", topic]);
  return text;
}

describe("the skill of", () => {
  it("the command line runs as it is shown", async () => {
    const session = shownCommands(await textOf("cli"));
    expect(session.length).toBeGreaterThan(4);
    const { code, stderr } = await shell.run(session.join(""));
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("error")]);
  });

  it("playing a role runs as it is shown, inside a thread", async () => {
    const { threadId } = await cli.json<{ threadId: string }>(["thread", "run", "demo", "--idle"]);
    const session = shownCommands(await textOf("develop"));
    const { code, stdout } = await shell.run(session.join(""), { UNCAGED_THREAD_ID: threadId });
    expect(code).toBe(0);
    expect(stdout).toContain(threadId);
    expect(stdout).toContain("Proof: npm test passes.");
  });

  it.each(TOPICS)("%s names only commands, options and error codes that exist", async (topic) => {
    const text = await textOf(topic);
    const known = await allCommands(COMMANDS);
    const names = new Set(known.map(({ path }) => path.join(" ")));
    const called = [...text.matchAll(/(?:uncaged-workflow|uwf) ([a-z]+)(?: ([a-z]+)\b)?(.*)/g)];
    for (const [line, first = "", second = "", rest = ""] of called) {
      const path = names.has(`${first} ${second}`) ? `${first} ${second}` : first;
      expect(names, line).toContain(path);
      const command = known.find((each) => each.path.join(" ") === path)?.command;
      const flags = command?.options.map((option) => option.flags).join(" ") ?? "";
      const options = (rest.split("`")[0] ?? "").match(/--[a-z-]+/g) ?? [];
      for (const option of options) expect(`${flags} --json --help`, line).toContain(option);
    }
    for (const [, code = ""] of text.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)) {
      expect(isErrorCode(code) || code.startsWith("UNCAGED_"), code).toBe(true);
    }
  });

  it("the command line lists every command, from the program itself", async () => {
    const text = await textOf("cli");
    for (const { path } of await allCommands(COMMANDS)) {
      expect(text).toContain(`- \`uncaged-workflow ${path.join(" ")}`);
    }
    expect(text).not.toContain("<!--");
  });

  it("nothing in particular lists the topics", async () => {
    const { topics } = await cli.json<{ topics: { topic: string }[] }>(["skill"]);
    expect(topics.map(({ topic }) => topic)).toEqual([...TOPICS]);
    expect((await cli.run(["skill"])).stdout).toContain("uncaged-workflow skill <topic>");
  });
});
