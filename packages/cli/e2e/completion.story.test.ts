import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { openShell, type Shell } from "./shell.test.helper.ts";

let cli: Cli;
let shell: Shell;
beforeAll(async () => {
  cli = openCli();
  shell = openShell(cli);
  await cli.addSteps("review");
  await cli.addSteps("release");
});
afterAll(() => cli.close());

/** What bash offers for the last of these words, asked the way its line editor does. */
async function offered(...words: string[]): Promise<string[]> {
  const { stdout } = await shell.run(`
    source <(uncaged-workflow completion bash)
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
    COMP_CWORD=${words.length - 1}
    eval "$(complete -p uwf | sed 's/.*-F \\([^ ]*\\) .*/\\1/')"
    printf '%s\\n' "\${COMPREPLY[@]}"`);
  return stdout.trim().split("\n");
}

describe("completion in bash", () => {
  it("offers the commands of the program", async () => {
    expect(await offered("uwf", "workflow", "ro")).toEqual(["rollback"]);
  });

  it("asks the installed program for workflows and threads", async () => {
    expect(await offered("uwf", "run", "")).toEqual(["review", "release"]);
    const { threadId } = await cli.json<{ threadId: string }>([
      "thread",
      "run",
      "review",
      "--idle",
    ]);
    expect(await offered("uncaged-workflow", "thread", "show", threadId.slice(0, 8))).toEqual([
      threadId,
    ]);
  });

  it("shows what each thread is", async () => {
    await cli.json(["run", "release", "--idle", "-p", "\nFix the \u001b[2Jleak\nand the tap"]);
    const { stdout } = await cli.run(["completion", "--list", "threads", "--described"]);
    expect(stdout).toMatch(/^[0-9A-Z]{26}\tFix the \[2Jleak \(.+\)$/m);
    const plain = await cli.run(["completion", "--list", "threads"]);
    expect(plain.stdout).toMatch(/^([0-9A-Z]{26}\n){2}$/);
  });

  it("is silent when the storage root cannot be read", async () => {
    const { code, stdout } = await shell.run(
      "source <(uwf completion bash); uwf completion --list threads",
      { WORKFLOW_STORAGE_ROOT: `${cli.dir}/nowhere` },
    );
    expect([code, stdout]).toEqual([0, ""]);
  });
});
