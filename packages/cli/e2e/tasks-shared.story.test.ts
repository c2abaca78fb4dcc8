/** Two machines that share a root in PostgreSQL: the thread of a task runs where the worktree of the task is, and nowhere
 *  else. By the built command. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { testRoot } from "@uncaged/workflow-store-postgres/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BIN, type Cli, openCli } from "./cli.test.helper.ts";

const AGENT = `cat > prompt
case $(cat prompt) in *LEAVE*) ;; *) echo written > work; git add work; git -c user.name=A -c user.email=a@b commit -qm work;; esac
rm prompt
echo '{"status":"done"}'
`;
const OUTPUT =
  "{ type: object, properties: { status: { enum: [done] } }, required: [status], additionalProperties: false }";
const FLOW = `description: one role works, another one looks
roles: { worker: { goal: write it, output: ${OUTPUT} }, closer: { goal: look at it, output: ${OUTPUT} } }
graph:
  $START: { new: { role: worker, prompt: "{{ start.content }}" } }
  worker: { done: { role: closer, prompt: "LEAVE it as it is." } }
  closer: { done: $END }
`;

type Task = {
  id: string;
  state: string;
  thread: string;
  head: string;
  merged: string | null;
  note: string | null;
};

let here: Cli;
let there: Cli;
/** The folder of the first machine is a repository. */
let repo: string;
let remote: string;
const workers: ChildProcess[] = [];
beforeAll(async () => {
  const server = await testRoot();
  [here, there] = [openCli({ madeSteps: null }), openCli({ madeSteps: null })];
  for (const cli of [here, there]) {
    mkdirSync(cli.root, { recursive: true });
    const script = join(cli.dir, "agent.sh");
    writeFileSync(script, AGENT);
    const options = { command: "/bin/sh", args: [script], output: "json" };
    const agents = { hand: { package: "@uncaged/workflow-agent-command", options } };
    const merging = { mergeByHost: true, mergeCheck: "true" };
    const settings = { config: { agents, defaultAgent: "hand", ...merging } };
    writeFileSync(join(cli.root, "workflow.yaml"), JSON.stringify(settings), { mode: 0o600 });
    await cli.json(["root", "init", "--postgres", server.url, "--name", server.root]);
  }
  writeFileSync(join(here.root, "flow.yaml"), FLOW);
  await here.here(["workflow", "add", "flow", join(here.root, "flow.yaml")]);
  repo = realpathSync(here.dir);
  remote = join(realpathSync(there.dir), "remote.git");
  git("init", "-q", "--bare", "-b", "main", remote);
  git("init", "-q", "-b", "main");
  git("remote", "add", "origin", remote);
  writeFileSync(join(repo, ".gitignore"), "root/\nagent.sh\n");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  git("push", "-q", "origin", "main");
});
afterAll(async () => {
  for (const child of workers) await end(child);
  await Promise.all([here, there].map((cli) => cli.close()));
});

it("another machine leaves the thread of a task to the one that has its worktree", async () => {
  await here.json(["queue", "pause"]);
  const { task } = await here.json<{ task: Task }>([
    ...["task", "spawn", "job", "--workflow", "flow", "--description", "write it"],
  ]);
  const { threadId: behind } = await there.json<{ threadId: string }>([
    ...["run", "flow", "--prompt", "LEAVE", "--cwd", there.dir, "--queue"],
  ]);
  await worker(there);
  await here.json(["queue", "resume"]);
  // The one behind it has ended, so the other machine has looked at the thread of the task.
  while ((await shown(there, behind)).status !== "completed") await sleep(100);
  expect(await shown(there, task.thread)).toMatchObject({ status: "queued", steps: [] });
  expect(await there.fails(["thread", "exec", task.thread])).toMatchObject({
    code: "WORKSPACE_ELSEWHERE",
    message: expect.stringContaining("works in the worktree of a task"),
  });

  await worker(here);
  const offered = await until("job", "IN_REVIEW");
  expect(git("--git-dir", remote, "show", "feat/job:work")).toBe("written\n");
  expect(git("--git-dir", remote, "rev-parse", "feat/job").trim()).toBe(offered.head);
  expect(await there.json(["thread", "verify", task.thread])).toMatchObject({ ok: true });
});

it("a fork of it has a worktree of its own, and runs anywhere", async () => {
  const { thread } = await until("job", "IN_REVIEW");
  const { threadId } = await here.json<{ threadId: string }>([
    ...["thread", "fork", thread, "--from-step", "1", "--idle"],
  ]);
  await there.json(["thread", "exec", threadId, "--count", "9"]);
  expect((await shown(there, threadId)).status).toBe("completed");
});

it("a host merges only the tasks whose worktree its machine has", async () => {
  await Promise.all(workers.map(end));
  for (const id of ["far", "near"]) await approved(id);
  const far = join(repo, "worktrees", "far");
  // As in a clone on another machine, at the same path.
  renameSync(far, `${far}.away`);
  await worker(there);
  await until("near", "COMPLETED");
  expect(await until("far", "APPROVED")).toMatchObject({ merged: null });
  renameSync(`${far}.away`, far);
  await until("far", "COMPLETED");
});

async function approved(id: string): Promise<void> {
  const cwd = join(repo, "worktrees", id);
  await here.json(["task", "spawn", id]);
  agent(cwd, "start");
  writeFileSync(join(cwd, id), id);
  git("-C", cwd, "add", "-A");
  git("-C", cwd, "commit", "-q", "-m", id);
  agent(cwd, "done");
  await here.json(["task", "approve", "--task", id]);
}

/** A verb of a task's agent, in its worktree. */
function agent(cwd: string, verb: string): void {
  const env = { PATH: process.env.PATH, HOME: here.dir, WORKFLOW_STORAGE_ROOT: here.root };
  execFileSync(process.execPath, [BIN, "task", verb], { cwd, env, stdio: "pipe" });
}

function git(...args: string[]): string {
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
  return execFileSync("git", [...who, ...args], {
    cwd: repo,
    encoding: "utf8",
    env,
    stdio: "pipe",
  });
}

const shown = (cli: Cli, id: string): Promise<{ status: string; steps: unknown[] }> =>
  cli.here(["thread", "show", id]);

async function until(id: string, state: string): Promise<Task> {
  for (;;) {
    const { tasks } = await here.json<{ tasks: Task[] }>(["task", "status", id]);
    const [task] = tasks;
    if (task?.state === state) return task;
    if (task?.state === "FAILED") throw new Error(`${id} is FAILED: ${task.note}`);
    await sleep(100);
  }
}

async function worker(cli: Cli): Promise<void> {
  const child = spawn(process.execPath, [BIN, "--json", "worker", "start", "--pool", "default"], {
    cwd: cli.dir,
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env.PATH, HOME: cli.dir, WORKFLOW_STORAGE_ROOT: cli.root },
  });
  workers.push(child);
  await once(child.stdout, "data");
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  child.kill("SIGTERM");
  await exit;
}
