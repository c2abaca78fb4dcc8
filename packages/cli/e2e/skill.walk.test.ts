/** The commands that the skills show work. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
  it("the command line works as shown", async () => {
    const session = shownCommands(await textOf("cli"));
    expect(session.length).toBeGreaterThan(4);
    const { code, stderr } = await shell.run(session.join(""));
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("error")]);
  });

  it("playing a role works as shown, inside a thread", async () => {
    const { threadId } = await cli.json<{ threadId: string }>(["thread", "run", "demo", "--idle"]);
    const session = shownCommands(await textOf("develop"));
    const { code, stdout } = await shell.run(session.join(""), { UNCAGED_THREAD_ID: threadId });
    expect(code).toBe(0);
    expect(stdout).toContain(threadId);
    expect(stdout).toContain("Proof: npm test passes.");
  });

  it("nothing in particular lists the topics", async () => {
    const { topics } = await cli.json<{ topics: { topic: string }[] }>(["skill"]);
    expect(topics.map(({ topic }) => topic)).toEqual(["cli", "develop", "author"]);
    expect((await cli.run(["skill"])).stdout).toContain("uncaged-workflow skill <topic>");
  });
});
