/** `task done` and `task merge`, killed at their git calls: given again, they go on, and nothing is lost. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type KillingGit, killingGit, placesOf } from "./killing-git.test.helper.ts";
import { type Scene, taskScene } from "./tasks.test.helper.ts";

/** At how many places each verb is killed; more than there are: at all. */
const KILLS = Number(process.env.UNCAGED_TEST_TASK_KILLS ?? 1);

let scene: Scene;
let killer: KillingGit;
afterEach(() => scene.close());

it.each([{ remote: true }, { remote: false }])(
  "done goes on wherever it was killed, remote: $remote",
  { timeout: 900_000 },
  async ({ remote }) => {
    scene = taskScene({ remote });
    const { repo, shared } = scene;
    killer = killingGit(join(scene.dir, "bin"));
    await scene.does(repo, "spawn", "job");
    const at = scene.worktree("job");
    await scene.does(at, "start");
    let round = 0;
    const work = (): string => {
      round += 1;
      scene.commit(at, { [`job-${round}.txt`]: String(round) }, `job ${round}`);
      scene.commit(repo, { [`main-${round}.txt`]: String(round) }, `main ${round}`);
      if (remote) scene.git(repo, "push", "-q", "origin", "main");
      return `job-${round}.txt`;
    };
    const back = () => scene.does(repo, "request-changes", "--task", "job");
    work();
    expect((await scene.task(at, ["done"], killer.env(null))).code).toBe(0);
    await back();
    for (const { at: nth, when } of placesOf(killer.calls(), KILLS)) {
      const file = work();
      const killed = await scene.task(at, ["done"], killer.env({ at: nth, when }));
      expect({ nth, when, code: killed.code }).toEqual({ nth, when, code: null });
      const done = await scene.does(at, "done");
      const head = scene.git(at, "rev-parse", "HEAD").trim();
      expect({ nth, when, state: done.state, head: done.head }).toEqual({
        nth,
        when,
        state: "IN_REVIEW",
        head,
      });
      expect(scene.git(shared, "rev-parse", "feat/job").trim()).toBe(head);
      expect(scene.git(at, "status", "--porcelain", "--branch")).toBe("## feat/job\n");
      expect(scene.git(at, "ls-tree", "--name-only", "HEAD")).toContain(file);
      expect(scene.git(at, "merge-base", "main", "HEAD")).toBe(
        scene.git(repo, "rev-parse", "main"),
      );
      await back();
    }
    const own = scene.git(at, "log", "--format=%s", "main..HEAD").trim().split("\n");
    expect(own).toHaveLength(round);
  },
);

it.each([{ remote: true }, { remote: false }])(
  "merge goes on wherever it was killed, and merges once, remote: $remote",
  { timeout: 900_000 },
  async ({ remote }) => {
    scene = taskScene({ remote });
    const { repo, shared } = scene;
    killer = killingGit(join(scene.dir, "bin"));
    const args = (id: string): string[] => [
      "merge",
      "--task",
      id,
      "--delete-branch",
      "--check",
      "sh check.sh",
    ];
    await scene.approved("first", { "parts/first": "first" });
    expect((await scene.task(repo, args("first"), killer.env(null))).code).toBe(0);
    for (const { at, when } of placesOf(killer.calls(), KILLS)) {
      const id = `job-${at}-${when}`;
      await scene.approved(id, { [`parts/${id}`]: id });
      const killed = await scene.task(repo, args(id), killer.env({ at, when }));
      expect({ id, code: killed.code }).toEqual({ id, code: null });
      expect(await scene.does(repo, ...args(id))).toMatchObject({ id, state: "COMPLETED" });
      const merges = scene.git(shared, "log", "--first-parent", "--format=%s", "main");
      expect(merges.split("\n").filter((line) => line.endsWith(` ${id}`))).toHaveLength(1);
      expect(scene.git(shared, "show", `main:parts/${id}`)).toBe(id);
      expect(existsSync(scene.worktree(id))).toBe(false);
      expect(scene.git(shared, "branch", "--list", "feat/*")).toBe("");
      expect(scene.git(repo, "branch", "--list", "feat/*")).toBe("");
    }
    expect(scene.git(repo, "worktree", "list").trim().split("\n")).toHaveLength(1);
  },
);
