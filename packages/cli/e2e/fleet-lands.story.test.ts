/** The template `fleet`, played by stand-ins: real worktrees, a real queue, and the branch that the user has checked out. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ThreadView } from "@uncaged/workflow-protocol";
import { afterEach, expect, it } from "vitest";
import { BIN, type Cli, openCli } from "./cli.test.helper.ts";
import { fleetWorkflow, WORK } from "./fleet-workflow.ts";
import { rests, untilThread } from "./until-thread.test.helper.ts";

let cli: Cli;
afterEach(() => cli.close());

it("what its workers commit lands through the queue, and what the queue sends back is mended", async () => {
  cli = openCli();
  await cli.addSteps("steps");
  const config = { mergeCheck: "sh check.sh", reviewers: ["fleet/merger"] };
  const settings = JSON.stringify({ config });
  writeFileSync(join(cli.root, "workflow.yaml"), settings, { mode: 0o600 });
  await add("develop", WORK);
  await add("fleet", fleetWorkflow(BIN));
  const repo = join(cli.dir, "repo");
  mkdirSync(repo);
  const who = ["-c", "user.name=A", "-c", "user.email=a@b"];
  const git = (...args: string[]): string =>
    execFileSync("git", [...who, ...args], { cwd: repo, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  writeFileSync(join(repo, "check.sh"), "test ! -e broken\n");
  git("add", "-A");
  git("commit", "-qm", "first");

  const words = ["run", "fleet", "--cwd", repo, "--prompt", "all of it"];
  const { threadId } = await cli.json<{ threadId: string }>(words);
  await untilThread(cli.root, threadId, rests);
  const { status, steps, result } = await cli.here<ThreadView>(["thread", "show", threadId]);
  expect([status, ...steps.map(({ role }) => role)]).toEqual([
    ...["completed", "lead", "merger", "lead", "merger"],
  ]);
  expect(steps[1]?.meta).toMatchObject({
    landed: ["good"],
    left: [{ task: "broken", reason: expect.stringContaining("the check fails with task broken") }],
  });
  expect(result?.value).toEqual({ report: "It is done.", landed: ["good", "mended"], left: [] });
  // The second worker began with what had landed, or it would have undone it.
  expect(git("ls-tree", "--name-only", "main")).toBe("check.sh\ngood\nmended\n");
  expect(git("status", "--porcelain")).toBe("");
  expect(readdirSync(repo)).toEqual(expect.arrayContaining(["good", "mended"]));
  expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
}, 300_000);

async function add(name: string, source: string): Promise<void> {
  const file = join(cli.dir, "flow", `${name}.mjs`);
  writeFileSync(file, source);
  const built = await cli.json<{ file: string }>(["workflow", "build", file]);
  await cli.json(["workflow", "add", name, built.file]);
}
