/** Commands that write files of steps, in a repository whose user is in the middle of something; as `VERBS`. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { document } from "./command.mjs";
import { successOf, withEngine } from "./scene.mjs";
import { makeSteps, stepsThread } from "./transcript.mjs";

/** Characters of a file, so that it needs several pages. */
const LONG = 40_000;

export const FILE_VERBS = {
  "fork with files": {
    prepare: threadInRepository,
    args: (threadId) => ["thread", "fork", threadId, "--from-step", "1", "--files", "--idle"],
    whole: async (scene, threadId) => {
      const threads = await withEngine(scene.root, ({ store }) => store.list({}));
      const forks = threads.filter((each) => each.threadId !== threadId);
      assert.ok(forks.length > 0, "there is no fork");
      for (const { cwd } of forks) expectFirstStep(cwd);
      const stand = git(scene.work, "worktree", "list").trim().split("\n");
      assert.equal(stand.length, forks.length + 1, "a fork that failed left its worktree");
    },
  },
  // Git that has no room is no reason to lose the step: it is there without its files, and the next one has its own.
  "step and its snapshots": {
    prepare: (scene) => threadInRepository(scene, { steps: 9 }),
    args: (threadId) => ["thread", "exec", threadId],
    whole: async (scene, threadId) => {
      const at = { root: scene.root, cwd: scene.work };
      await document(["thread", "exec", threadId], at);
      const { steps } = await document(["thread", "show", threadId], at);
      // A command that had no room to say so may have made its step.
      assert.ok(steps.length === 4 || steps.length === 5, `${steps.length} steps`);
      const { before, after } = steps.at(-1).workspace;
      assert.notEqual(before, after);
      assert.equal(git(scene.work, "show", `${after}:began`), fileOf(scene.work, "began"));
      const { ok } = await document(["thread", "verify", threadId], at);
      assert.ok(ok, "a tree is missing");
    },
  },
  "workspace rm": {
    prepare: async (scene) => {
      const threadId = await threadInRepository(scene);
      const fork = ["thread", "fork", threadId, "--files", "--idle"];
      return (await document(fork, { root: scene.root, cwd: scene.work })).threadId;
    },
    args: (threadId) => ["workspace", "rm", threadId],
    whole: async (scene, threadId) =>
      assert.ok(!existsSync(join(scene.root, "worktrees", threadId)), "the worktree stands"),
  },
  "thread restore": {
    prepare: threadInRepository,
    args: (threadId) => ["thread", "restore", threadId, "--step", "1", "--to", "restored"],
    whole: async ({ work }) => {
      expectFirstStep(join(work, "restored"));
      rmSync(join(work, "restored"), { recursive: true });
    },
  },
  "import with files": {
    prepare: async (scene) => {
      const threadId = await threadInRepository(scene);
      const at = { root: scene.root, cwd: scene.work };
      const out = join(scene.dir, "with.tar");
      await document(["thread", "export", threadId, "--with-files", "--out", out], at);
      await document(["thread", "rm", threadId], at);
      return { threadId, out };
    },
    args: ({ out }) => ["thread", "import", out],
    whole: async (scene, { threadId }) => {
      const verified = ["thread", "verify", threadId];
      const { ok } = await document(verified, { root: scene.root, cwd: scene.work });
      assert.ok(ok, "files are missing");
    },
  },
};

/** Two steps; `began` says which have begun. */
async function threadInRepository(scene, manner = {}) {
  const { work } = scene;
  git(work, "init", "-q", "-b", "main");
  writeFileSync(join(work, "long.txt"), "long\n".repeat(LONG / 5));
  git(work, "add", "-A");
  git(work, "commit", "-q", "-m", "first");
  const threadId = await stepsThread(scene, manner);
  successOf(await makeSteps(scene, threadId, 2));
  writeFileSync(join(work, "staged.txt"), "a user's");
  git(work, "add", "staged.txt");
  return threadId;
}

function expectFirstStep(folder) {
  assert.equal(fileOf(folder, "began"), "1\n");
  assert.equal(fileOf(folder, "long.txt").length, LONG);
}

const fileOf = (folder, name) => readFileSync(join(folder, name), "utf8");

/** What is the user's, whatever happened. */
export function usersState({ work }) {
  const head = readFileSync(join(work, ".git", "HEAD"), "utf8");
  return [head, git(work, "status", "--porcelain"), git(work, "rev-parse", "main", "HEAD")];
}

function git(cwd, ...args) {
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "gc.auto=0"];
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0" };
  return execFileSync("git", [...who, ...args], { cwd, env, encoding: "utf8", stdio: "pipe" });
}
