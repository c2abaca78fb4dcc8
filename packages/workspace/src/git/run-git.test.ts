import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { branchOf, findRepository, headOf } from "../repository/find-repository.ts";
import { runGit, tryGit } from "./run-git.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "uwf-git-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  });

test("a repository's own hooks and file system monitor do not run", async () => {
  git("init", "-q", "-b", "main");
  const trap = join(folder, "trap.sh");
  writeFileSync(trap, `#!/bin/sh\ntouch ${join(folder, "sprung")}\n`, { mode: 0o755 });
  git("config", "core.fsmonitor", trap);
  git("config", "core.pager", trap);
  mkdirSync(join(folder, "hooks"));
  for (const hook of ["reference-transaction", "post-index-change", "post-commit"])
    writeFileSync(join(folder, "hooks", hook), `#!/bin/sh\n${trap}\n`, { mode: 0o755 });
  git("config", "core.hooksPath", join(folder, "hooks"));
  rmSync(join(folder, "sprung"), { force: true });
  const scope = { gitDir: join(folder, ".git"), workTree: folder };
  const author = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a", GIT_COMMITTER_NAME: "a" };
  const env = { ...author, GIT_COMMITTER_EMAIL: "a" };
  for (const args of [["status"], ["commit", "-q", "--allow-empty", "-m", "x"], ["log"]])
    expect(await runGit(args, { scope, cwd: folder, env })).toMatchObject({ ok: true });
  expect(existsSync(join(folder, "sprung"))).toBe(false);
});

test("the caller's environment and the user's configuration do not count", async () => {
  git("init", "-q", "-b", "main");
  process.env.GIT_DIR = "/nowhere";
  try {
    expect(await findRepository(folder)).toMatchObject({ ok: true, value: { workTree: folder } });
  } finally {
    delete process.env.GIT_DIR;
  }
});

test("an exit code that is an answer is returned, and one that is not is an error that says why", async () => {
  git("init", "-q", "-b", "main");
  const options = { scope: { gitDir: join(folder, ".git") }, cwd: folder };
  expect(await tryGit(["rev-parse", "--verify", "-q", "nope"], options)).toMatchObject({
    ok: true,
    value: { exitCode: 1 },
  });
  expect(await runGit(["cat-file", "-e", "nope"], options)).toMatchObject({
    ok: false,
    error: { code: "GIT_FAILED", message: expect.stringContaining("Not a valid object name") },
  });
});

test("output beyond the limit, a timeout and an abort are errors", async () => {
  git("init", "-q", "-b", "main");
  const options = { scope: { gitDir: join(folder, ".git") }, cwd: folder };
  const error = { ok: false, error: { code: "GIT_FAILED" } };
  expect(await tryGit(["help", "-a"], { ...options, maxBytes: 100 })).toMatchObject(error);
  const waits = ["cat-file", "--batch"];
  expect(
    await tryGit(["-c", "alias.wait=!sleep 60", "wait"], { ...options, timeoutMs: 50 }),
  ).toMatchObject(error);
  const signal = AbortSignal.abort();
  expect(await tryGit(waits, { ...options, signal })).toMatchObject(error);
});

test("a folder without a repository, a bare repository and the inside of .git have no work tree", async () => {
  expect(await findRepository(folder)).toEqual({ ok: true, value: null });
  git("init", "-q", "--bare", "bare.git");
  expect(await findRepository(join(folder, "bare.git"))).toEqual({ ok: true, value: null });
  git("init", "-q", "-b", "main");
  expect(await findRepository(join(folder, ".git"))).toEqual({ ok: true, value: null });
});

test("HEAD is null on an unborn branch, and a linked work tree has its own", async () => {
  git("init", "-q", "-b", "main");
  const main = await found(folder);
  expect(await headOf(main)).toEqual({ ok: true, value: null });
  expect(await branchOf(main)).toEqual({ ok: true, value: "main" });
  git("commit", "-q", "--allow-empty", "-m", "first");
  git("worktree", "add", "-q", "-b", "side", "side");
  const side = await found(join(folder, "side"));
  expect(side).toEqual({
    workTree: join(folder, "side"),
    gitDir: join(folder, ".git/worktrees/side"),
    commonDir: join(folder, ".git"),
    objectFormat: "sha1",
  });
  expect(await branchOf(side)).toEqual({ ok: true, value: "side" });
  expect(await headOf(side)).toEqual({ ok: true, value: git("rev-parse", "HEAD").trim() });
});

test("a repository that names its objects by SHA-256 says so", async () => {
  git("init", "-q", "--object-format=sha256");
  expect(await found(folder)).toMatchObject({ objectFormat: "sha256" });
});

async function found(at: string) {
  const repository = await findRepository(at);
  if (!repository.ok || repository.value === null) throw new Error("no repository");
  return repository.value;
}

test("a repository whose configuration cannot be read is an error, not a folder without one", async () => {
  git("init", "-q", "-b", "main");
  writeFileSync(join(folder, ".git/config"), "[nonsense");
  expect(await findRepository(folder)).toMatchObject({ ok: false, error: { code: "GIT_FAILED" } });
});
