/** Threads in a git repository: each step says what it did to the files, and nothing of the user's is touched. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StepView } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { killingGit, type Place, placesOf } from "./killing-git.test.helper.ts";

/** At how many places the engine is killed; more than there are: at all. */
const KILLS = Number(process.env.UNCAGED_TEST_GIT_KILLS ?? 3);

type Shown = { steps: StepView[] };

let cli: Cli;
beforeEach(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  git("init", "-q", "-b", "main");
  writeFileSync(join(cli.dir, ".gitignore"), "/flow/\n/bin/\n");
  writeFileSync(join(cli.dir, "a.txt"), "a");
  writeFileSync(join(cli.dir, "b.txt"), "b");
  writeFileSync(join(cli.dir, "began"), "");
  git("add", "-A", "--", ".", ":!root");
  git("commit", "-q", "-m", "first");
  writeFileSync(join(cli.dir, "a.txt"), "stashed");
  git("stash");
  writeFileSync(join(cli.dir, "b.txt"), "staged");
  git("add", "b.txt");
});
afterEach(() => cli.close());

it("ten steps leave index, branches, stash, hooks and configuration as they were, and say what they did", async () => {
  const id = await threadOf(10);
  const before = usersState();
  for (let step = 1; step <= 10; step += 1) {
    await cli.json(["thread", "exec", id, "--count", "1"]);
    expect(usersState()).toEqual(before);
    expect(git("status", "--porcelain")).toBe("M  b.txt\n M began\n?? root/\n");
  }
  const { steps } = await cli.json<Shown>(["thread", "show", id]);
  const trees = steps.map(({ workspace }) => workspace?.after ?? "");
  expect(trees).toHaveLength(10);
  for (const [at, { workspace }] of steps.entries()) {
    expect(workspace).toMatchObject({ repository: join(cli.dir, ".git"), branch: "main" });
    expect(workspace?.changedOutside).toBeUndefined();
    if (at > 0) expect(workspace?.before).toBe(trees[at - 1]);
    expect(git("show", `${workspace?.after}:began`).trim().split("\n")).toHaveLength(at + 1);
    expect(git("ls-tree", "--name-only", workspace?.after ?? "")).toBe(
      ".gitignore\na.txt\nb.txt\nbegan\n",
    );
  }
  git("gc", "-q", "--prune=now");
  expect(await cli.json(["thread", "verify", id])).toMatchObject({ ok: true });
});

it("what somebody else changed between two steps is said, and a removed object is found", async () => {
  const id = await threadOf(3);
  await cli.json(["thread", "exec", id, "--count", "1"]);
  writeFileSync(join(cli.dir, "outside.txt"), "by a person");
  await cli.json(["thread", "exec", id, "--count", "1"]);
  const { steps } = await cli.json<Shown>(["thread", "show", id]);
  expect(steps.map(({ workspace }) => workspace?.changedOutside)).toEqual([undefined, true]);
  const { stdout } = await cli.run(["thread", "show", id]);
  expect(stdout).toContain("changed outside the thread");
  const blob = git("rev-parse", `${steps[1]?.workspace?.after}:outside.txt`).trim();
  rmSync(join(cli.dir, ".git/objects", blob.slice(0, 2), blob.slice(2)));
  const { code, stdout: report } = await cli.run(["--json", "thread", "verify", id]);
  expect(code).not.toBe(0);
  expect(JSON.parse(report)).toMatchObject({
    ok: false,
    problems: [
      { code: "FILES_MISSING", hash: steps[1]?.stateHash },
      { code: "FILES_MISSING", hash: steps[1]?.stateHash },
    ],
  });
});

it("the files of a step are listed, and restored into a new folder; a fork keeps them when its origin is removed", async () => {
  const id = await threadOf(3);
  await cli.json(["thread", "exec", id, "--count", "2"]);
  expect(await cli.json(["thread", "show", id, "--files", "2"])).toMatchObject({
    round: 2,
    files: [{ path: "began", change: "modified" }],
  });
  const { stdout } = await cli.run(["thread", "show", id, "--files", "2"]);
  expect(stdout).toMatch(/^M began\ngit --git-dir=/);
  const restore = ["thread", "restore", id, "--step", "1", "--to", "restored"];
  await cli.json(restore);
  expect(readdirSync(join(cli.dir, "restored")).sort()).toEqual([
    ".gitignore",
    "a.txt",
    "b.txt",
    "began",
  ]);
  expect(readFileSync(join(cli.dir, "restored/began"), "utf8")).toBe("1\n");
  expect(await cli.fails(restore)).toMatchObject({ code: "TARGET_EXISTS" });
  expect(await cli.fails(["thread", "restore", id, "--step", "9", "--to", "x"])).toMatchObject({
    code: "USAGE",
  });
  const forked = await cli.json<{ threadId: string }>(["thread", "fork", id, "--idle"]);
  await cli.json(["thread", "rm", id]);
  git("gc", "-q", "--prune=now");
  expect(await cli.json(["thread", "verify", forked.threadId])).toMatchObject({ ok: true });
  await cli.json(["thread", "rm", forked.threadId]);
  expect(git("for-each-ref", "refs/uncaged")).toBe("");
});

it("a fork with files has exactly those of its step, in a worktree of its own", async () => {
  const id = await threadOf(5);
  const trees: string[] = [];
  for (const step of [1, 2, 3]) {
    writeFileSync(join(cli.dir, `new-${step}.txt`), `by a person before step ${step}`);
    if (step === 2) git("commit", "-q", "-m", "between two steps");
    await cli.json(["thread", "exec", id, "--count", "1"]);
    const { steps } = await cli.json<Shown>(["thread", "show", id]);
    trees.push(steps.at(-1)?.workspace?.after ?? "");
  }
  const before = usersState();
  for (const [at, tree] of trees.entries()) {
    const fork = ["thread", "fork", id, "--from-step", String(at + 1), "--files", "--idle"];
    const { threadId } = await cli.json<{ threadId: string }>(fork);
    const { cwd } = await cli.json<{ cwd: string }>(["thread", "show", threadId]);
    expect(cwd).toBe(join(cli.root, "worktrees", threadId));
    expect(git("-C", cwd, "symbolic-ref", "--short", "HEAD").trim()).toBe(
      `uncaged/fork-${threadId}`,
    );
    await cli.json(["thread", "exec", threadId, "--count", "1"]);
    const { steps } = await cli.json<Shown>(["thread", "show", threadId]);
    const made = steps.at(-1)?.workspace;
    expect(made).toMatchObject({ workTree: cwd, before: tree, branch: `uncaged/fork-${threadId}` });
    expect(made?.after).not.toBe(tree);
  }
  const { branches: _, git: __, ...others } = before;
  expect(usersState()).toMatchObject(others);
  expect(
    await cli.fails(["thread", "fork", id, "--from-step", "0", "--files", "--idle"]),
  ).toMatchObject({ code: "USAGE" });
});

it("with `snapshots: false` in the configuration nothing is recorded", async () => {
  const config = join(cli.root, "workflow.yaml");
  writeFileSync(config, `${readFileSync(config, "utf8")}\nconfig:\n  snapshots: false\n`);
  const id = await threadOf(1);
  await cli.json(["thread", "exec", id, "--count", "1"]);
  const { steps } = await cli.json<Shown>(["thread", "show", id]);
  expect(steps[0]?.workspace).toBeUndefined();
  expect(git("for-each-ref", "refs/uncaged")).toBe("");
});

it("a SIGKILL at any call of git leaves the user's files alone, and the thread goes on", async () => {
  const id = await threadOf(1000);
  const before = usersState();
  const killer = killingGit(join(cli.dir, "bin"));
  let [steps, kills] = [0, 0];
  const step = (place: Place | null) => {
    // Without its own index, a snapshot makes all the calls that it ever makes.
    rmSync(join(cli.root, "workspaces"), { recursive: true, force: true });
    return cli.run(["thread", "exec", id, "--count", "1"], { env: killer.env(place) });
  };
  const goesOn = async (): Promise<void> => {
    expect((await step(null)).code).toBe(0);
    steps += 1;
    expect(usersState()).toEqual(before);
  };
  await goesOn();
  const calls = killer.calls();
  expect(calls).toBeGreaterThan(15);
  for (const place of placesOf(calls, KILLS)) {
    // The last calls are not made in every run: there is nothing to do.
    const { code } = await step(place);
    if (code === 0) steps += 1;
    else kills += 1;
    expect(usersState()).toEqual(before);
    await goesOn();
  }
  expect(kills).toBeGreaterThan(0);
  const shown = await cli.json<Shown>(["thread", "show", id]);
  expect(shown.steps).toHaveLength(steps);
  // A file that an attempt wrote before it was killed belongs to the step that came of it.
  expect(shown.steps.some(({ workspace }) => workspace?.changedOutside)).toBe(false);
  expect(await cli.json(["thread", "verify", id])).toMatchObject({ ok: true });
  expect(git("fsck", "--no-dangling")).toBe("");
}, 600_000);

async function threadOf(steps: number): Promise<string> {
  const { threadId } = await cli.json<{ threadId: string }>([
    ...["thread", "run", "steps", "--idle", "--prompt", JSON.stringify({ steps })],
  ]);
  return threadId;
}

function usersState(): Record<string, string> {
  const read = (name: string): string =>
    readFileSync(join(cli.dir, ".git", name)).toString("latin1");
  const files = ["index", "HEAD", "config", "logs/HEAD", "refs/heads/main", "refs/stash"];
  return {
    ...Object.fromEntries(files.map((name) => [name, read(name)])),
    hooks: readdirSync(join(cli.dir, ".git/hooks")).join(),
    git: readdirSync(join(cli.dir, ".git")).join(),
    branches: git("branch", "--all", "--verbose"),
    staged: git("diff", "--cached"),
  };
}

function git(...args: string[]): string {
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "gc.auto=0"];
  const env = {
    PATH: process.env.PATH,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
  };
  return execFileSync("git", [...who, ...args], {
    cwd: cli.dir,
    encoding: "utf8",
    env,
    stdio: "pipe",
  });
}
