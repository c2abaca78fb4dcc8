/** Worker tasks by the built command, with real git. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { context, type Scene, taskScene } from "./tasks.test.helper.ts";

let scene: Scene;
afterEach(() => scene.close());

const TIMEOUT = { timeout: 180_000 };

describe.each([{ remote: true }, { remote: false }])("tasks, remote: $remote", ({ remote }) => {
  it("a task is spawned, done, sent back, done again, approved and merged", TIMEOUT, async () => {
    scene = taskScene({ remote });
    const { repo } = scene;
    const before = scene.git(repo, "status", "--porcelain") + scene.git(repo, "stash", "list");
    const spawned = await scene.does(repo, "spawn", "fix-a", "--description", "fix a");
    expect(spawned).toMatchObject({ state: "ASSIGNED", branch: "feat/fix-a", attempt: 1 });
    expect(await scene.does(repo, "spawn", "fix-a", "--description", "fix a")).toMatchObject({
      state: "ASSIGNED",
    });
    const at = scene.worktree("fix-a");
    expect(statSync(join(at, ".worker-ctx.json")).mode & 0o777).toBe(0o600);
    expect(scene.git(repo, "status", "--porcelain")).toBe("");
    expect(scene.git(at, "status", "--porcelain")).toBe("");
    expect(await scene.fails(at, "done")).toMatchObject({ exit: 3, code: "TRANSITION_INVALID" });
    await scene.does(at, "start");
    expect((await scene.does(at, "start")).state).toBe("WORKING");
    expect(await scene.does(at, "heartbeat", "--progress", "0.5")).toMatchObject({ progress: 0.5 });
    scene.write(at, { "a.txt": "two\n" });
    expect(await scene.fails(at, "done")).toMatchObject({ code: "WORKTREE_UNSAVED" });
    scene.commit(at, { "a.txt": "two\n" });
    const offered = await scene.does(at, "done");
    expect(offered).toMatchObject({
      state: "IN_REVIEW",
      head: scene.git(at, "rev-parse", "HEAD").trim(),
    });
    expect(await scene.does(at, "done")).toEqual(offered);
    expect(await scene.fails(at, "approve")).toMatchObject({ exit: 1, code: "TASK_DENIED" });
    const ask = ["request-changes", "fix-a", "--comment", "more"];
    expect(await scene.does(repo, ...ask)).toMatchObject({ state: "WORKING", note: "more" });
    scene.commit(at, { "b.txt": "b\n" });
    await scene.does(at, "done");
    expect((await scene.does(repo, "approve", "fix-a")).state).toBe("APPROVED");
    const merged = await scene.does(repo, "merge", "--task", "fix-a", "--delete-branch");
    expect(merged.state).toBe("COMPLETED");
    expect(await scene.does(repo, "merge", "fix-a", "--task", "fix-a")).toMatchObject({
      state: "COMPLETED",
    });
    expect(await scene.fails(repo, "merge", "fix-a", "--task", "fix-b")).toMatchObject({ exit: 2 });
    expect(existsSync(at)).toBe(false);
    expect(scene.git(scene.shared, "rev-parse", "main").trim()).toBe(merged.merged);
    expect(scene.git(scene.shared, "show", "main:a.txt")).toBe("two\n");
    expect(scene.git(scene.shared, "branch", "--list", "feat/*")).toBe("");
    expect(
      scene.git(scene.shared, "log", "-1", "--format=%P", "main").trim().split(" "),
    ).toHaveLength(2);
    if (remote)
      expect(scene.git(repo, "status", "--porcelain") + scene.git(repo, "stash", "list")).toBe(
        before,
      );
    expect(readFileSync(join(repo, "a.txt"), "utf8")).toBe("one\n");
    const { stdout } = await scene.task(repo, ["bus"]);
    const types = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    expect(types.filter((type) => type !== "heartbeat")).toEqual([
      ...["task_assign", "state_change", "review_request", "changes_requested"],
      ...["review_request", "review_approved", "state_change"],
    ]);
  });

  it(
    "a conflict is left in progress, named, and done again when it is mended",
    TIMEOUT,
    async () => {
      scene = taskScene({ remote });
      const { repo } = scene;
      for (const id of ["one", "two"]) {
        await scene.does(repo, "spawn", id);
        await scene.does(scene.worktree(id), "start");
        scene.commit(scene.worktree(id), { "a.txt": `by ${id}\n`, [`${id}.txt`]: id });
      }
      await scene.does(scene.worktree("one"), "done");
      await scene.does(repo, "approve", "--task", "one");
      await scene.does(repo, "merge", "--task", "one");
      const at = scene.worktree("two");
      const conflict = {
        exit: 6,
        code: "TASK_CONFLICT",
        message: expect.stringContaining('"a.txt"'),
      };
      expect(await scene.fails(at, "done")).toMatchObject(conflict);
      expect(await scene.fails(at, "done", "--skip-rebase")).toMatchObject({ exit: 3 });
      expect(await scene.fails(at, "done")).toMatchObject(conflict);
      expect((await scene.all()).map(({ state }) => state)).toEqual(["COMPLETED", "CONFLICTED"]);
      scene.write(at, { "a.txt": "both\n" });
      scene.git(at, "add", "a.txt");
      expect(await scene.does(at, "done")).toMatchObject({ state: "IN_REVIEW" });
      await scene.does(repo, "approve", "--task", "two");
      await scene.does(repo, "merge", "--task", "two");
      expect(scene.git(scene.shared, "show", "main:a.txt")).toBe("both\n");
    },
  );
});

describe("who may do what", () => {
  it(
    "an agent of an earlier attempt can neither beat nor finish the next one",
    TIMEOUT,
    async () => {
      scene = taskScene({ remote: true });
      const { repo } = scene;
      await scene.does(repo, "spawn", "job");
      const first = scene.worktree("job");
      await scene.does(first, "start");
      scene.commit(first, { "first.txt": "1\n" });
      scene.write(first, { "unsaved.txt": "kept\n" });
      await scene.does(repo, "fail", "too slow", "--task", "job");
      expect(await scene.fails(first, "heartbeat")).toMatchObject({ exit: 3 });
      const again = await scene.does(repo, "retry", "--task", "job");
      expect(again).toMatchObject({ state: "ASSIGNED", attempt: 2 });
      const second = `${first}.2`;
      expect(again.worktree).toBe(second);
      for (const verb of ["start", "heartbeat", "done"])
        expect(await scene.fails(first, verb)).toMatchObject({ exit: 6, code: "TASK_LOST" });
      expect(await scene.fails(first, "fail", "no")).toMatchObject({ code: "TASK_LOST" });
      await scene.does(second, "start");
      scene.commit(second, { "second.txt": "2\n" });
      expect(await scene.does(second, "done")).toMatchObject({ state: "IN_REVIEW", attempt: 2 });
      expect(readFileSync(join(first, "unsaved.txt"), "utf8")).toBe("kept\n");
      await scene.does(repo, "approve", "--task", "job");
      const merged = await scene.task(repo, ["merge", "--task", "job"]);
      expect(merged.stderr).toContain("unsaved.txt");
      expect(scene.git(scene.shared, "show", "main:first.txt")).toBe("1\n");
      expect(existsSync(join(first, "unsaved.txt"))).toBe(true);
    },
  );

  it("a task is reviewed, merged and cancelled by nobody who worked on it", TIMEOUT, async () => {
    scene = taskScene({ remote: false });
    const { repo } = scene;
    await scene.does(repo, "spawn", "job");
    const at = scene.worktree("job");
    await scene.does(at, "start", "--as", "ada");
    scene.commit(at, { "b.txt": "b\n" });
    await scene.does(at, "done");
    const denied = { exit: 1, code: "TASK_DENIED" };
    for (const verb of [
      ["approve"],
      ["request-changes"],
      ["merge"],
      ["cancel"],
      ["retry"],
      ["spawn", "x"],
    ])
      expect(await scene.fails(at, ...verb)).toMatchObject(denied);
    const approve = ["approve", "--task", "job"];
    expect(await scene.fails(repo, ...approve, "--as", "ada")).toMatchObject(denied);
    expect(await scene.fails(repo, "start", "--task", "job")).toMatchObject(denied);
    const below = await scene.task(at, [
      "run",
      "--",
      "sh",
      "-c",
      `cd ${repo} && "${process.execPath}" "${process.argv[1]}" >/dev/null 2>&1; echo "$UNCAGED_TASK_CONTEXT"`,
    ]);
    const inherited = { UNCAGED_TASK_CONTEXT: below.stdout.trim().split("\n").at(-1) ?? "" };
    expect((await scene.task(repo, approve, inherited)).code).toBe(1);
    writeFileSync(
      join(at, ".worker-ctx.json"),
      JSON.stringify({ ...context(at), token: "guessed" }),
    );
    expect(await scene.fails(at, "heartbeat")).toMatchObject(denied);
    expect((await scene.does(repo, ...approve, "--as", "bob")).state).toBe("APPROVED");
  });

  it("of several who spawn one task, all get the same one", TIMEOUT, async () => {
    scene = taskScene({ remote: true });
    const { repo } = scene;
    const all = await Promise.all(
      [1, 2, 3, 4].map(() => scene.task(repo, ["spawn", "job", "--description", "same"])),
    );
    expect(all.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      all.map(() => ({ code: 0, stderr: "" })),
    );
    expect(await scene.all()).toHaveLength(1);
    expect((await scene.does(scene.worktree("job"), "start")).state).toBe("WORKING");
    const other = await scene.fails(repo, "spawn", "job", "--description", "other");
    expect(other).toMatchObject({ exit: 2, code: "TARGET_EXISTS" });
  });
});

describe("the end of a task", () => {
  it("a cancelled one is cleaned up only when nothing is lost", TIMEOUT, async () => {
    scene = taskScene({ remote: true });
    const { repo } = scene;
    await scene.does(repo, "spawn", "job");
    const at = scene.worktree("job");
    await scene.does(at, "start");
    scene.commit(at, { "b.txt": "b\n" });
    scene.write(at, { "c.txt": "c\n" });
    const cancel = ["cancel", "--task", "job", "--cleanup"];
    expect(await scene.fails(repo, ...cancel)).toMatchObject({ code: "WORKTREE_UNSAVED" });
    expect((await scene.all())[0]).toMatchObject({ state: "FAILED" });
    rmSync(join(at, "c.txt"));
    expect(await scene.fails(repo, ...cancel)).toMatchObject({ code: "WORKTREE_UNSAVED" });
    expect(scene.git(repo, "show", "feat/job:b.txt")).toBe("b\n");
    scene.git(repo, "worktree", "list");
    expect((await scene.does(repo, ...cancel, "--archive")).state).toBe("FAILED");
    expect(scene.git(repo, "show", "refs/uncaged/archive/job/1/branch:b.txt")).toBe("b\n");
    expect(scene.git(repo, "branch", "--list", "feat/*")).toBe("");
    expect(await scene.does(repo, "retry", "--task", "job")).toMatchObject({ attempt: 2 });
  });

  it("files that are in no commit are archived with the branch", TIMEOUT, async () => {
    scene = taskScene({ remote: false });
    const { repo } = scene;
    await scene.does(repo, "spawn", "job");
    const at = scene.worktree("job");
    scene.write(at, { "c.txt": "c\n" });
    await scene.does(repo, "cancel", "--task", "job", "--cleanup", "--archive");
    expect(existsSync(at)).toBe(false);
    expect(scene.git(repo, "show", "refs/uncaged/archive/job/1/files-1:c.txt")).toBe("c\n");
  });

  it("run reports the exit of its command and gives signs of life meanwhile", TIMEOUT, async () => {
    scene = taskScene({ remote: false });
    const { repo } = scene;
    await scene.does(repo, "spawn", "job");
    const at = scene.worktree("job");
    const ran = await scene.task(at, ["run", "--", "sh", "-c", "echo said; exit 5"]);
    expect(ran).toMatchObject({ code: 5, stdout: "said\n" });
    const [task] = await scene.all();
    expect(task).toMatchObject({ state: "WORKING" });
    expect(task?.heartbeatAt).not.toBeNull();
    const env = { UNCAGED_TEST_BEAT_MS: "50" };
    // The pipe of its output closes when the last of what it started is gone.
    const begun = "touch begun; sleep 600; true";
    const endless = scene.task(at, ["run", "--", "sh", "-c", begun], env);
    await expect.poll(() => existsSync(join(at, "begun")), TIMEOUT).toBe(true);
    await scene.does(repo, "fail", "enough", "--task", "job");
    expect((await endless).code).toBe(3);
  });
});

describe("the merge queue", () => {
  it(
    "lets in what is green, sends the culprit back, and has no commit that nobody checked",
    TIMEOUT,
    async () => {
      scene = taskScene({ remote: true });
      const { repo, shared } = scene;
      for (const id of ["a", "b", "c", "d"])
        await scene.approved(id, { [`parts/${id}${id === "c" ? ".broken" : ""}`]: id });
      await scene.approved("e", { "parts/a": "another a" });
      const ran = await scene.task(repo, ["merge", "--all", "--json", "--check", "sh check.sh"]);
      expect(ran.code).not.toBe(0);
      const { tasks }: { tasks: { task: { id: string }; outcome: string }[] } = JSON.parse(
        ran.stdout,
      );
      expect(Object.fromEntries(tasks.map(({ task, outcome }) => [task.id, outcome]))).toEqual({
        ...{ a: "merged", b: "merged", c: "red", d: "merged", e: "conflict" },
      });
      const states = (await scene.all()).map(({ id, state }) => [id, state]);
      expect(Object.fromEntries(states)).toMatchObject({
        c: "WORKING",
        e: "WORKING",
        d: "COMPLETED",
      });
      const note = (await scene.all()).find(({ id }) => id === "c")?.note;
      expect(note).toContain("broken: parts/c.broken");
      const line = scene.git(shared, "rev-list", "--first-parent", "main").trim().split("\n");
      for (const commit of line)
        expect(scene.git(shared, "ls-tree", "-r", "--name-only", commit)).not.toContain(".broken");
      expect(scene.git(shared, "ls-tree", "--name-only", "main", "parts/")).toBe(
        "parts/a\nparts/b\nparts/d\n",
      );
      scene.git(scene.worktree("c"), "mv", "parts/c.broken", "parts/c");
      scene.commit(scene.worktree("c"), {}, "mended");
      await scene.does(scene.worktree("c"), "done");
      await scene.does(repo, "approve", "--task", "c");
      expect((await scene.task(repo, ["merge", "--all", "--check", "sh check.sh"])).code).toBe(0);
    },
  );

  it(
    "fetches a commit that only the remote has, and one that is nowhere holds up no other task",
    TIMEOUT,
    async () => {
      scene = taskScene({ remote: true });
      const { repo, shared } = scene;
      for (const id of ["gone", "far", "here"]) await scene.approved(id, { [`parts/${id}`]: id });
      for (const id of ["gone", "far"]) {
        scene.git(repo, "worktree", "remove", "--force", scene.worktree(id));
        scene.git(repo, "branch", "-D", `feat/${id}`);
      }
      scene.git(shared, "branch", "-D", "feat/gone");
      // As in a clone that never had them.
      const refs = scene.git(
        repo,
        "for-each-ref",
        "--format=%(refname)",
        "refs/remotes",
        "refs/uncaged",
      );
      for (const ref of refs.trim().split("\n")) scene.git(repo, "update-ref", "-d", ref);
      scene.git(repo, "reflog", "expire", "--expire=now", "--all");
      scene.git(repo, "gc", "--quiet", "--prune=now");
      const ran = await scene.task(repo, ["merge", "--all", "--json", "--check", "sh check.sh"]);
      const { tasks }: { tasks: { outcome: string; reason?: { code: string } }[] } = JSON.parse(
        ran.stdout,
      );
      expect(ran.code).toBe(6);
      expect(tasks.map(({ outcome, reason }) => [outcome, reason?.code])).toEqual([
        ["left", "WORKSPACE_ELSEWHERE"],
        ["merged", undefined],
        ["merged", undefined],
      ]);
      expect(scene.git(shared, "ls-tree", "--name-only", "main", "parts/")).toBe(
        "parts/far\nparts/here\n",
      );
      const states = (await scene.all()).map(({ id, state }) => [id, state]);
      expect(Object.fromEntries(states)).toMatchObject({ gone: "APPROVED", far: "COMPLETED" });
    },
  );

  it("blames nobody when the integration branch is red by itself", TIMEOUT, async () => {
    scene = taskScene({ remote: true });
    const { repo } = scene;
    scene.commit(repo, { "parts/x.broken": "x" });
    scene.git(repo, "push", "-q", "origin", "main");
    await scene.approved("a", { "parts/a": "a" });
    const refused = await scene.fails(repo, "merge", "--task", "a", "--check", "sh check.sh");
    expect(refused).toMatchObject({ code: "TASK_RED" });
    expect(await scene.all()).toMatchObject([{ state: "APPROVED" }]);
  });
});
