/** Threads that work in git worktrees of their own, by the built command. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StepView } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { killHard } from "./kill-hard.test.helper.ts";
import { ownerOf, untilThread } from "./until-thread.test.helper.ts";
import { openPlace, type Place } from "./workspaces.test.helper.ts";

type Shown = { cwd: string; status: string; steps: StepView[] };

let place: Place;
beforeEach(async () => {
  place = await openPlace();
});
afterEach(() => place.close());

const shown = (id: string): Promise<Shown> => place.json(["thread", "show", id]);
const worktreeOf = (id: string): string => join(place.root, "worktrees", id);

it("a thread with `--worktree` works on a branch of its own, set up, and leaves the user's work tree alone", async () => {
  const seen = join(place.dir, "seen");
  const before = place.git("status", "--porcelain=v2", "--branch");
  const id = await place.ended(
    "shared",
    `sh: pwd > ${seen}; cat .env installed began >> ${seen}; echo 1 > made`,
    "--worktree",
  );
  expect(readFileSync(seen, "utf8")).toBe(`${worktreeOf(id)}\nKEY=1\nonce\nby a person\n`);
  expect(place.git("status", "--porcelain=v2", "--branch")).toBe(before);
  const { status, steps } = await shown(id);
  expect(status).toBe("completed");
  expect(steps[0]?.workspace).toMatchObject({
    workTree: worktreeOf(id),
    branch: `uncaged/work-${id}`,
  });
  // Taken back: all of it is in the steps, and the branch has no commits of its own.
  expect(existsSync(worktreeOf(id))).toBe(false);
  await expect.poll(() => place.git("branch", "--list", "uncaged/*")).toBe("");
  expect(place.git("show", `${steps[1]?.workspace?.after}:made`)).toBe("1\n");
  expect(await place.json(["thread", "verify", id])).toMatchObject({ ok: true });
});

it("a schedule starts its threads in worktrees of their own", async () => {
  const plan = ["--cron", "0 0 1 1 *", "--workflow", "shared", "--cwd", place.repo, "--worktree"];
  await place.here(["schedule", "add", "nightly", ...plan, "--prompt", "sh: echo 1 > nightly"]);
  const { threadId } = await place.json<{ threadId: string }>(["schedule", "run", "nightly"]);
  await untilThread(place.root, threadId, ({ status }) => status === "completed");
  const { steps } = await shown(threadId);
  expect(steps[0]?.workspace?.workTree).toBe(worktreeOf(threadId));
  expect(existsSync(join(place.repo, "nightly"))).toBe(false);
  const { stdout } = await place.run(["schedule", "show", "nightly"]);
  expect(stdout).toContain(`shared in a git worktree of ${place.repo}`);
});

it("the workflow or a commit says where it begins; its own commits stay on its branch", async () => {
  writeFileSync(join(place.repo, "later"), "");
  place.git("add", "later");
  place.git("commit", "-q", "-m", "second");
  const commit = "git -c user.name=A -c user.email=a@b commit -q -m done";
  const id = await place.ended("apart", `sh: echo 1 > made; git add made; ${commit}`);
  expect(place.git("log", "--format=%s", `uncaged/work-${id}`)).toBe("done\nsecond\nfirst\n");
  const old = await place.ended("apart", "sh: test ! -e later", "--worktree", "HEAD~1");
  expect((await shown(old)).status).toBe("completed");
  const refused = ["run", "apart", "--cwd", place.dir, "--prompt", "x"];
  expect(await place.fails(refused)).toMatchObject({ code: "USAGE", exit: 2 });
  const gone = ["run", "apart", "--cwd", place.repo, "--worktree", "no-such", "--prompt", "x"];
  expect(await place.fails(gone)).toMatchObject({ code: "GIT_FAILED" });
  expect(await place.json(["thread", "list"])).toMatchObject({ threads: [{}, {}] });
});

it("a runner that is killed finds its worktree again, and one that was deleted is made from the last step", async () => {
  const hold = join(place.dir, "hold");
  writeFileSync(hold, "");
  const run = ["run", "apart", "--cwd", place.repo, "--prompt"];
  const work = `sh: echo 1 >> made; while [ -e ${hold} ]; do sleep 0.02; done`;
  const { threadId } = await place.json<{ threadId: string }>([...run, work]);
  const made = join(worktreeOf(threadId), "made");
  await untilThread(place.root, threadId, () => existsSync(made));
  await killRunner(threadId);
  rmSync(hold);
  await place.json(["thread", "exec", threadId]);
  // The attempt that was cut off had written a line; the setup ran once.
  expect(readFileSync(made, "utf8")).toBe("1\n1\n");
  expect(readFileSync(join(worktreeOf(threadId), "installed"), "utf8")).toBe("once\n");
  rmSync(worktreeOf(threadId), { recursive: true });
  await place.json(["thread", "exec", threadId]);
  const { steps } = await shown(threadId);
  expect(steps[1]?.workspace?.before).toBe(steps[0]?.workspace?.after);
  expect(steps[1]?.workspace?.branch).toBe(`uncaged/work-${threadId}`);
  expect(place.git("show", `${steps[1]?.workspace?.after}:made`)).toBe("1\n1\n");
});

it("a setup that fails is how the thread ends, with what it printed", async () => {
  writeFileSync(join(place.repo, ".uncaged", "setup"), "#!/bin/sh\necho no network >&2\nexit 3\n");
  place.git("commit", "-qam", "broken");
  const run = ["--json", "run", "apart", "--cwd", place.repo, "--prompt", "sh: true", "--wait"];
  const { code, stdout } = await place.run(run);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    status: "failed",
    summary: expect.stringContaining("SETUP_FAILED"),
  });
});

it("whoever works in the same work tree is named; an exclusive workflow is refused there", async () => {
  const hold = join(place.dir, "hold");
  writeFileSync(hold, "");
  const wait = `sh: while [ -e ${hold} ]; do sleep 0.02; done`;
  const run = (flow: string): string[] => ["run", flow, "--cwd", place.repo, "--prompt"];
  const first = await place.json<{ threadId: string }>([...run("alone"), wait]);
  const warned = await place.run([...run("shared"), wait]);
  expect(warned.stderr).toContain(`warning: ${first.threadId} (alone) works in the same git`);
  const refused = await place.fails([...run("alone"), wait]);
  expect(refused).toMatchObject({ code: "WORKSPACE_BUSY", exit: 6 });
  expect(refused.hint).toContain("--worktree");
  const { threadId: idle } = await place.json<{ threadId: string }>([
    ...run("alone"),
    "sh: true",
    "--idle",
  ]);
  expect(await place.fails(["thread", "exec", idle])).toMatchObject({ code: "WORKSPACE_BUSY" });
  const apart = await place.ended("alone", "sh: true", "--worktree");
  expect((await shown(apart)).status).toBe("completed");
  rmSync(hold);
  await place.json(["thread", "wait", first.threadId, warned.stdout.trim()]);
  expect(await place.json(["thread", "exec", idle])).toMatchObject({ threadId: idle });
});

it("each member of a group has a worktree of its own, with the files that the group found", async () => {
  writeFileSync(join(place.repo, "began"), "changed, not committed\n");
  const id = await place.ended("fan", "go");
  const { status, steps } = await shown(id);
  expect(status).toBe("completed");
  const members = steps.slice(0, 3).map(({ workspace }) => workspace);
  for (const [at, workspace] of members.entries()) {
    expect(workspace?.workTree).toBe(`${worktreeOf(id)}.0.${steps[at]?.group?.index}`);
    expect(place.git("show", `${workspace?.after}:seen`)).toBe("changed, not committed\n");
    expect(existsSync(workspace?.workTree ?? "")).toBe(false);
    expect(place.git("show", `${workspace?.branch}:result`)).toBe(
      place.git("show", `${workspace?.after}:result`),
    );
  }
  // The judge worked where the thread does, and nothing of theirs is there.
  expect(place.git("show", `${steps[3]?.workspace?.after}:listed`)).toBe("began\nlisted\n");
});

async function killRunner(id: string): Promise<void> {
  await killHard(await ownerOf(place.root, id));
}

it("worktrees are listed, and taken back only when nothing in them would be lost; two at once do no harm", async () => {
  const run = ["run", "apart", "--cwd", place.repo, "--idle", "--prompt", "sh: echo 1 > made"];
  const { threadId: id } = await place.json<{ threadId: string }>(run);
  expect(await place.json(["workspace", "list"])).toEqual({ workspaces: [] });
  await place.json(["thread", "exec", id]);
  const listed = { threadId: id, member: null, status: "idle", path: worktreeOf(id) };
  expect(await place.json(["workspace", "list"])).toMatchObject({
    workspaces: [{ ...listed, branch: `uncaged/work-${id}`, changes: ["made"], isSaved: true }],
  });
  writeFileSync(join(worktreeOf(id), "precious"), "");
  expect(await place.fails(["workspace", "rm", id])).toMatchObject({
    code: "WORKTREE_UNSAVED",
    message: expect.stringContaining("precious"),
    hint: expect.stringContaining("--record"),
  });
  const recorded = ["workspace", "rm", id.slice(-6), "--record"];
  expect(await place.json(recorded)).toEqual({ threadId: id, removed: [worktreeOf(id)] });
  expect(place.git("ls-tree", "--name-only", `refs/uncaged/${id}`)).toContain("precious");
  // The thread goes on where its last step left off.
  await place.json(["thread", "exec", id]);
  const { steps } = await shown(id);
  expect(steps[1]?.workspace?.before).toBe(steps[0]?.workspace?.after);
  const both = [1, 2].map(() => place.run(["--json", "workspace", "gc"]));
  for (const { code, stdout } of await Promise.all(both)) {
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kept: [] });
  }
  expect(existsSync(worktreeOf(id))).toBe(false);
  expect(await place.fails(["workspace", "rm", "nobody"])).toMatchObject({
    code: "THREAD_NOT_FOUND",
  });
});

it("a thread that is killed in the middle keeps its worktree, also when the thread is removed", async () => {
  const run = ["run", "apart", "--cwd", place.repo, "--prompt", "sh: echo 1 > half; sleep 60"];
  const { threadId: id } = await place.json<{ threadId: string }>(run);
  const half = join(worktreeOf(id), "half");
  await untilThread(place.root, id, () => existsSync(half));
  await place.json(["thread", "kill", id]);
  expect(await place.json(["workspace", "gc"])).toMatchObject({
    removed: [],
    kept: [{ threadId: id, code: "WORKTREE_UNSAVED" }],
  });
  await place.json(["thread", "rm", id]);
  expect(await place.json(["workspace", "list"])).toMatchObject({
    workspaces: [{ threadId: id, status: null, changes: ["half"], isSaved: false }],
  });
  rmSync(half);
  await place.json(["workspace", "rm", id]);
  expect(existsSync(worktreeOf(id))).toBe(false);
  expect(place.git("worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(1);
});
