/** A thread whose every step changes files, in a repository of many: what is the user's stays, and each step can be gone
 *  back to, here and elsewhere. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StepView } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

/** `npm run trials -- --long` asks for 5,000 and 10. */
const FILES = Number(process.env.UNCAGED_TEST_FILES ?? 60);
const STEPS = Number(process.env.UNCAGED_TEST_FILE_STEPS ?? 3);
const EACH_MS = 20_000;

type Shown = { cwd: string; steps: StepView[] };

let cli: Cli;
let there: Cli;
let id: string;
let trees: string[];
beforeAll(async () => {
  cli = openCli();
  there = openCli();
  await cli.addSteps("steps");
  for (let at = 0; at < FILES; at += 1) {
    const folder = join(cli.dir, "src", `part-${at % 50}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file-${at}.ts`), `export const n = ${at};\n`);
  }
  git(cli.dir, "init", "-q", "-b", "main");
  writeFileSync(join(cli.dir, ".gitignore"), "/flow/\n/root/\n");
  writeFileSync(join(cli.dir, "began"), "");
  writeFileSync(join(cli.dir, ".git", "hooks", "post-checkout"), "#!/bin/sh\nexit 1\n", {
    mode: 0o755,
  });
  git(cli.dir, "add", "-A");
  git(cli.dir, "commit", "-q", "-m", "first");
  writeFileSync(join(cli.dir, "src", "part-0", "file-0.ts"), "stashed");
  git(cli.dir, "stash");
  writeFileSync(join(cli.dir, "src", "part-0", "file-0.ts"), "staged");
  git(cli.dir, "add", "-A");
}, 120_000);
afterAll(async () => {
  await cli.close();
  await there.close();
});

it("after each step the user's index, branches, stash and hooks are as before, byte for byte", {
  timeout: 60_000 + STEPS * EACH_MS,
}, async () => {
  const prompt = JSON.stringify({ steps: STEPS + 1 });
  const run = ["thread", "run", "steps", "--idle", "--prompt", prompt];
  id = (await cli.json<{ threadId: string }>(run)).threadId;
  const before = usersState();
  for (let step = 1; step <= STEPS; step += 1) {
    await cli.json(["thread", "exec", id]);
    expect(usersState()).toEqual(before);
    expect(git(cli.dir, "status", "--porcelain")).toBe(" M began\nM  src/part-0/file-0.ts\n");
  }
  const { steps } = await cli.json<Shown>(["thread", "show", id]);
  trees = steps.map(({ workspace }) => workspace?.after ?? "");
  expect(new Set(trees).size).toBe(STEPS);
});

it("a fork at each step has exactly the files of that step", {
  timeout: 60_000 + STEPS * EACH_MS,
}, async () => {
  for (const [at, tree] of trees.entries()) {
    const fork = ["thread", "fork", id, "--from-step", String(at + 1), "--idle"];
    const { threadId } = await cli.json<{ threadId: string }>(fork);
    const { cwd } = await cli.json<Shown>(["thread", "show", threadId]);
    git(cwd, "add", "-A");
    expect(git(cwd, "write-tree")).toBe(`${tree}\n`);
  }
});

it("an export with files restores each step elsewhere, and verify finds one object that is gone", {
  timeout: 60_000 + STEPS * EACH_MS,
}, async () => {
  const out = join(cli.dir, "root", "with.tar");
  await cli.json(["thread", "export", id, "--with-files", "--out", out]);
  await there.json(["thread", "import", out]);
  for (let step = 1; step <= STEPS; step += 1) {
    const to = join(there.dir, `step-${step}`);
    await there.json(["thread", "restore", id, "--step", String(step), "--to", to]);
    expect(readFileSync(join(to, "began"), "utf8").trim().split("\n")).toHaveLength(step);
    expect(readdirSync(join(to, "src"))).toHaveLength(Math.min(50, FILES));
  }
  expect(await cli.json(["thread", "verify", id])).toMatchObject({ ok: true });
  const blob = git(cli.dir, "rev-parse", `${trees.at(-1)}:began`).trim();
  rmSync(join(cli.dir, ".git", "objects", blob.slice(0, 2), blob.slice(2)));
  const { code, stdout } = await cli.run(["--json", "thread", "verify", id]);
  expect(code).toBe(5);
  expect(JSON.parse(stdout).problems[0]).toMatchObject({ code: "FILES_MISSING" });
  expect(await there.json(["thread", "verify", id])).toMatchObject({ ok: true });
});

function usersState(): Record<string, string> {
  const read = (name: string): string =>
    readFileSync(join(cli.dir, ".git", name)).toString("latin1");
  const files = ["index", "HEAD", "config", "logs/HEAD", "refs/heads/main", "refs/stash"];
  const hooks = readdirSync(join(cli.dir, ".git", "hooks"));
  return {
    ...Object.fromEntries(files.map((name) => [name, read(name)])),
    ...Object.fromEntries(hooks.map((name) => [name, read(join("hooks", name))])),
    branches: git(cli.dir, "branch", "--all", "--verbose"),
  };
}

function git(cwd: string, ...args: string[]): string {
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "gc.auto=0"];
  const env = {
    PATH: process.env.PATH,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
  };
  const quiet = [...who, "-c", "core.hooksPath=/dev/null", ...args];
  return execFileSync("git", quiet, { cwd, encoding: "utf8", env, stdio: "pipe" });
}
