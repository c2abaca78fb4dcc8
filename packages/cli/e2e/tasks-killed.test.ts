/** `task done` and `task merge`, killed at their git calls: given again, they go on, and nothing is lost. A few of the calls;
 *  with `UNCAGED_TEST_TASK_KILLS_EVERY=1` all of them. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type Scene, taskScene } from "./tasks.test.helper.ts";

/** Odd, so that some are killed before the call and some after it; or 1. */
const EVERY = Number(process.env.UNCAGED_TEST_TASK_KILLS_EVERY ?? 17);
const GIT = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();

let scene: Scene;
afterEach(() => scene.close());

/** A git on the PATH that ends whoever calls it for the nth time, before or after it did its work. */
function killingGit({ dir }: Scene): {
  env(at: number, when: "before" | "after"): Record<string, string>;
  calls(): number;
} {
  const bin = join(dir, "bin");
  const file = (name: string): string => join(bin, name);
  mkdirSync(bin);
  // What the caller's environment says does not reach git, so this one reads files.
  const script = `#!/bin/sh
here="${bin}"
n=$(($(cat "$here/calls") + 1)); echo $n > "$here/calls"
if [ $n = "$(cat "$here/at")" ]; then
  if [ "$(cat "$here/when")" = after ]; then ${GIT} "$@" >/dev/null 2>&1 </dev/null; fi
  kill -9 $PPID; exit 1
fi
exec ${GIT} "$@"
`;
  writeFileSync(file("git"), script, { mode: 0o755 });
  return {
    env(at, when) {
      for (const [name, value] of Object.entries({ calls: 0, at, when }))
        writeFileSync(file(name), String(value));
      return { PATH: `${bin}:${process.env.PATH}` };
    },
    calls: () => Number(readFileSync(file("calls"), "utf8")),
  };
}

/** Places of a verb to be killed at, once it is known how often it calls git. */
function* places(calls: number): Generator<{ at: number; when: "before" | "after" }> {
  let n = 0;
  for (let at = 1; at <= calls; at += 1)
    for (const when of ["before", "after"] as const) {
      n += 1;
      if (n % EVERY === 0) yield { at, when };
    }
}

it.each([{ remote: true }, { remote: false }])(
  "done goes on wherever it was killed, remote: $remote",
  { timeout: 900_000 },
  async ({ remote }) => {
    scene = taskScene({ remote });
    const { repo, shared } = scene;
    const killer = killingGit(scene);
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
    expect((await scene.task(at, ["done"], killer.env(0, "before"))).code).toBe(0);
    await back();
    for (const { at: nth, when } of places(killer.calls())) {
      const file = work();
      const killed = await scene.task(at, ["done"], killer.env(nth, when));
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
    const killer = killingGit(scene);
    const args = (id: string): string[] => [
      "merge",
      "--task",
      id,
      "--delete-branch",
      "--check",
      "sh check.sh",
    ];
    await scene.approved("first", { "parts/first": "first" });
    expect((await scene.task(repo, args("first"), killer.env(0, "before"))).code).toBe(0);
    for (const { at, when } of places(killer.calls())) {
      const id = `job-${at}-${when}`;
      await scene.approved(id, { [`parts/${id}`]: id });
      const killed = await scene.task(repo, args(id), killer.env(at, when));
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
