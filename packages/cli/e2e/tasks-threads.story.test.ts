/** Tasks whose work a thread does, with and without a host, which also merges what is approved. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TaskState } from "@uncaged/workflow-protocol";
import { afterEach, expect, it } from "vitest";
import { BIN } from "./cli.test.helper.ts";
import { killHard } from "./kill-hard.test.helper.ts";
import { type Scene, taskScene } from "./tasks.test.helper.ts";
import { ownerOf, untilThread } from "./until-thread.test.helper.ts";

/** Does what its prompt says: UNSAVED commits nothing, GIVEUP fails, WAIT waits for a file `go`, BROKEN makes the check red
 *  until changes are requested; REVIEW approves the task job, SECOND LEAVE does nothing. */
const WORKER = `#!/bin/sh
prompt=$(cat)
case $prompt in *REVIEW*) "${process.execPath}" "${BIN}" --json task approve job --as ada > ../said 2>&1; echo '{"status":"ok"}'; exit;; esac
case $prompt in *"SECOND LEAVE"*) echo '{"status":"ok"}'; exit;; esac
case $prompt in *WAIT*) touch waits; while [ ! -e go ]; do sleep 0.05; done; rm go waits;; esac
case $prompt in *GIVEUP*) echo "no idea" >&2; exit 1;; esac
mkdir -p parts
case $prompt in *BROKEN*) touch parts/x.broken;; esac
case $prompt in *"is to be changed"*) rm -f parts/*.broken;; esac
echo "$prompt" >> parts/$(basename "$PWD")
case $prompt in *UNSAVED*) ;; *) git add -A; git -c user.name=A -c user.email=a@example.org commit -qm work;; esac
echo '{"status":"ok"}'
`;

const FLOW = `
description: One role works.
roles:
  worker:
    goal: Do it.
    output: { type: object, properties: { status: { enum: [ok] } }, required: [status] }
graph:
  $START: { new: { role: worker, prompt: "Do what the task says." } }
  worker: { ok: $END }
`;

/** The first role is checked, the second one may change files afterwards. */
const CHECKED = `
description: Two roles work.
roles:
  first:
    goal: Do it.
    output: { type: object, properties: { status: { enum: [ok] } }, required: [status] }
    requiredEvidence: [{ check: { command: ["true"], canary: none } }]
  second:
    goal: Do more.
    output: { type: object, properties: { status: { enum: [ok] } }, required: [status] }
graph:
  $START: { new: { role: first, prompt: "FIRST {{ start.content }}" } }
  first: { ok: { role: second, prompt: "SECOND {{ start.content }}" } }
  second: { ok: $END }
`;

/** A state that takes so long will not come; the test's own limit would not say what was waited for. */
const UNTIL_MS = 90_000;

let scene: Scene;
let root: string;
afterEach(async () => {
  await scene.cli(["down"]);
  scene.close();
});

async function open(config: Record<string, unknown> = {}): Promise<void> {
  scene = taskScene({ remote: true });
  root = join(scene.dir, "root");
  mkdirSync(root);
  const script = join(scene.dir, "worker.sh");
  writeFileSync(script, WORKER);
  const options = { command: "/bin/sh", args: [script], output: "json" };
  const agents = { worker: { package: "@uncaged/workflow-agent-command", options } };
  const all = { config: { agents, defaultAgent: "worker", ...config } };
  writeFileSync(join(root, "workflow.yaml"), JSON.stringify(all), { mode: 0o600 });
  await add("flow", FLOW);
}

async function add(name: string, source: string): Promise<void> {
  const file = join(scene.dir, `${name}.yaml`);
  writeFileSync(file, source);
  expect(await scene.cli(["workflow", "add", name, file])).toMatchObject({ code: 0 });
}

const spawn = (id: string, description: string, workflow = "flow") =>
  scene.does(scene.repo, "spawn", id, "--workflow", workflow, "--description", description);

async function until(id: string, state: TaskState): Promise<Record<string, unknown>> {
  const began = Date.now();
  for (;;) {
    const task = (await scene.all()).find((each) => each.id === id);
    if (task?.state === state) return task;
    const isLate = Date.now() - began > UNTIL_MS;
    if (isLate || task?.state === "FAILED")
      throw new Error(`${id} is not ${state}: ${JSON.stringify(task)}\n${scene.said()}`);
    await sleep(100);
  }
}

it("the thread of a task is in the pool that the settings name, and waits for its workers", async () => {
  await open({ taskPool: "ada" });
  const { thread } = await spawn("job", "write it");
  const { status, pool } = await untilThread(root, String(thread), (now) => now.status !== "idle");
  expect([status, pool]).toEqual(["queued", "ada"]);
});

it("a task's states follow its thread, which goes on when changes are requested", async () => {
  await open();
  const { repo } = scene;
  const unknown = ["spawn", "x", "--workflow", "nope"];
  expect(await scene.fails(repo, ...unknown)).toMatchObject({ code: "WORKFLOW_NOT_FOUND" });
  expect(await scene.all()).toEqual([]);
  const spawned = await spawn("job", "write it");
  expect(spawned).toMatchObject({ state: "WORKING", workflow: "flow", thread: expect.any(String) });
  expect(await spawn("job", "write it")).toMatchObject({ thread: spawned.thread });
  const offered = await until("job", "IN_REVIEW");
  expect(offered).toMatchObject({ who: `thread ${spawned.thread}`, thread: spawned.thread });
  expect(scene.git(scene.shared, "show", "feat/job:parts/job")).toContain("write it");
  await scene.does(repo, "request-changes", "job", "--comment", "more of it");
  const again = await until("job", "IN_REVIEW");
  expect(again.thread).not.toBe(spawned.thread);
  expect(scene.git(scene.shared, "show", "feat/job:parts/job")).toMatch(
    /to be changed:\nmore of it/,
  );
  expect(await scene.fails(repo, "approve", "job", "--as", `thread ${again.thread}`)).toMatchObject(
    {
      code: "TASK_DENIED",
    },
  );
  await scene.does(repo, "approve", "job");
  expect(await scene.does(repo, "merge", "job", "--check", "sh check.sh")).toMatchObject({
    state: "COMPLETED",
  });
});

it("a thread that fails, or commits nothing, fails its task, which says why and can be retried", async () => {
  await open();
  await spawn("lost", "GIVEUP");
  expect((await until("lost", "FAILED")).note).toMatch(/^thread \w+: /);
  await spawn("half", "UNSAVED");
  expect((await until("half", "FAILED")).note).toMatch(/has completed, but .* is in no commit/);
  expect(await scene.does(scene.repo, "retry", "half")).toMatchObject({
    attempt: 2,
    state: "ASSIGNED",
  });
  await until("half", "FAILED");
});

it("what a thread checked is offered only as it was checked", async () => {
  await open();
  await add("checked", CHECKED);
  await spawn("kept", "LEAVE", "checked");
  await spawn("changed", "more", "checked");
  await until("kept", "IN_REVIEW");
  expect((await until("changed", "FAILED")).note).toMatch(
    /^thread \w+ has completed, but its evidence is stale/,
  );
});

it.each([
  ["another role", "flow/other", "IN_REVIEW"],
  ["its role", "flow/worker", "APPROVED"],
])("an agent may review where %s is a reviewer: %s", async (_whose, reviewer, state) => {
  await open({ reviewers: [reviewer] });
  await spawn("job", "write it");
  await until("job", "IN_REVIEW");
  const ran = await scene.cli(["--json", "run", "flow", "--prompt", "REVIEW", "--wait"]);
  expect(ran).toMatchObject({ code: 0 });
  const said = JSON.parse(readFileSync(join(scene.dir, "said"), "utf8"));
  if (state === "IN_REVIEW") expect(said.error).toMatchObject({ code: "TASK_DENIED" });
  else expect(said.task).toMatchObject({ id: "job", state });
  expect(await scene.all()).toMatchObject([{ id: "job", state }]);
});

it("a cancelled task ends its thread; one whose runner is killed goes on", async () => {
  await open();
  const gone = await spawn("gone", "WAIT");
  const runs = await spawn("runs", "WAIT");
  const ready = (id: string): boolean => existsSync(join(scene.worktree(id), "waits"));
  while (!ready("gone") || !ready("runs")) await sleep(50);
  await scene.does(scene.repo, "cancel", "gone");
  await scene.all();
  await untilThread(root, String(gone.thread), ({ status }) => status === "aborted");
  await killHard(await ownerOf(root, String(runs.thread)));
  rmSync(join(scene.worktree("runs"), "waits"));
  expect(await until("runs", "WORKING")).toMatchObject({ heartbeatAt: expect.any(Number) });
  await scene.cli(["thread", "resume", String(runs.thread)]);
  while (!ready("runs")) await sleep(50);
  writeFileSync(join(scene.worktree("runs"), "go"), "");
  expect(await until("runs", "IN_REVIEW")).toMatchObject({ thread: runs.thread });
});

// Five states one after the other, each with its own limit.
it("a host has tasks follow their threads and merges what is approved", {
  timeout: 300_000,
}, async () => {
  await open({ mergeByHost: true, mergeCheck: "sh check.sh" });
  const { repo, shared } = scene;
  const host = scene.start(repo, [], ["up"]);
  try {
    await spawn("good", "write it");
    await spawn("bad", "something BROKEN");
    await until("good", "IN_REVIEW");
    await until("bad", "IN_REVIEW");
    for (const id of ["good", "bad"]) await scene.does(repo, "approve", id);
    expect(await until("good", "COMPLETED")).toMatchObject({ merged: expect.any(String) });
    // The check was red: its thread was told, and mended it.
    const mended = await until("bad", "IN_REVIEW");
    expect(scene.git(shared, "show", "feat/bad:parts/bad")).toContain("broken: parts/x.broken");
    await scene.does(repo, "approve", "bad");
    await until("bad", "COMPLETED");
    expect(mended.thread).toEqual(expect.any(String));
    expect(scene.git(shared, "ls-tree", "--name-only", "main", "parts/")).toBe(
      "parts/bad\nparts/good\n",
    );
    expect(scene.git(repo, "status", "--porcelain")).toBe("");
  } finally {
    host.kill("SIGKILL");
  }
});
