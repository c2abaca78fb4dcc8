/** Commands that change worker tasks, in a repository without a remote; as `VERBS`. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { document } from "./command.mjs";

const nothing = async () => {};
const treeOf = ({ work }) => join(work, "worktrees", "job");

/** What leads from nothing to a merged task, in order; `inTree`: given by the task's agent. */
const STEPS = [
  { verb: ["spawn", "job"], state: "ASSIGNED" },
  { verb: ["start"], state: "WORKING", inTree: true },
  { verb: ["done"], state: "IN_REVIEW", inTree: true, before: commitWork },
  { verb: ["approve", "job"], state: "APPROVED" },
  { verb: ["merge", "job"], state: "COMPLETED" },
];

export const TASK_VERBS = Object.fromEntries(
  STEPS.map(({ verb, state, inTree = false, before = nothing }, at) => [
    `task ${verb[0]}`,
    {
      prepare: async (scene) => {
        makeRepository(scene);
        for (const step of STEPS.slice(0, at)) {
          await (step.before ?? nothing)(scene);
          const cwd = step.inTree ? treeOf(scene) : scene.work;
          await document(["task", ...step.verb], { root: scene.root, cwd });
        }
        await before(scene);
      },
      args: () => ["task", ...verb],
      ...(inTree ? { at: treeOf } : {}),
      half: (scene) => expectNothingLost(scene, at),
      whole: async (scene) => {
        await expectNothingLost(scene, at);
        const { tasks } = await document(["task", "status"], { root: scene.root, cwd: scene.work });
        assert.deepEqual(
          tasks.map((task) => task.state),
          [state],
        );
        if (state === "ASSIGNED")
          await document(["task", "start"], { root: scene.root, cwd: treeOf(scene) });
        if (state === "COMPLETED") expectMergedOnce(scene);
      },
      already: [],
    },
  ]),
);

function git(cwd, ...args) {
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "gc.auto=0"];
  return execFileSync("git", [...who, ...args], { cwd, encoding: "utf8", stdio: "pipe" });
}

function makeRepository({ work }) {
  git(work, "init", "-q", "-b", "main");
  writeFileSync(join(work, "a.txt"), "one");
  git(work, "add", "-A");
  git(work, "commit", "-q", "-m", "first");
  writeFileSync(join(work, "a.txt"), "not committed, a user's");
}

async function commitWork(scene) {
  writeFileSync(join(treeOf(scene), "work.txt"), "work");
  git(treeOf(scene), "add", "-A");
  git(treeOf(scene), "commit", "-q", "-m", "work");
}

/** The user's checkout is as it was, and what was committed is on its branch or merged. */
async function expectNothingLost({ work }, at) {
  assert.match(git(work, "status", "--porcelain"), /^ M a.txt$/mu);
  if (at < 2) return;
  const isMerged = git(work, "ls-tree", "--name-only", "main").includes("work.txt");
  const isKept = git(work, "ls-tree", "--name-only", "feat/job").includes("work.txt");
  assert.ok(isMerged || isKept, "the work is lost");
}

function expectMergedOnce({ work }) {
  const merges = git(work, "log", "--merges", "--format=%s", "main").trim().split("\n");
  assert.deepEqual(merges, ["Merge task job"]);
  assert.ok(!existsSync(join(work, "worktrees", "job")), "the worktree is left behind");
}
