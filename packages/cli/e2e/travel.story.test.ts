/** Two machines that share a root in PostgreSQL and a git remote: a thread's files go where the thread goes. By the built
 *  command. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { StepView } from "@uncaged/workflow-protocol";
import { testRoot } from "@uncaged/workflow-store-postgres/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

/** Runs the last `sh: …` of its prompt. */
const AGENT = `command=$(sed -n 's/^.*sh: //p' | tail -n 1)
sh -c "$command" > /dev/null || exit 1
echo '{"status":"done"}'
`;
const OUTPUT =
  "{ type: object, properties: { status: { enum: [done] } }, required: [status], additionalProperties: false }";
const FLOW = `description: two steps
agents: { default: hand }
roles: { first: { goal: begin, output: ${OUTPUT} }, second: { goal: go on, output: ${OUTPUT} } }
graph:
  $START: { new: { role: first, prompt: "{{ start.content }}" } }
  first: { done: { role: second, prompt: "sh: cat began made installed > seen; git log --format=%s -1 >> seen; echo 2 > in/second" } }
  second: { done: $END }
`;
const FIRST =
  "sh: echo 1 > committed; git add -A; git -c user.name=A -c user.email=a@b commit -qm work; echo 1 > made; mkdir -p in; echo 1 > in/first";

type Shown = { status: string; cwd: string; steps: StepView[] };

let here: Cli;
let there: Cli;
let repo = "";
let remote = "";
beforeAll(async () => {
  const server = await testRoot();
  [here, there] = [openCli(), openCli()];
  for (const cli of [here, there]) {
    mkdirSync(cli.root, { recursive: true });
    const script = join(cli.dir, "agent.sh");
    writeFileSync(script, AGENT);
    const options = { command: "/bin/sh", args: [script], output: "json" };
    const agents = { hand: { package: "@uncaged/workflow-agent-command", options } };
    writeFileSync(join(cli.root, "workflow.yaml"), JSON.stringify({ config: { agents } }), {
      mode: 0o600,
    });
    await cli.json(["root", "init", "--postgres", server.url, "--name", server.root]);
  }
  writeFileSync(join(here.dir, "flow.yaml"), FLOW);
  await here.here(["workflow", "add", "two", join(here.dir, "flow.yaml")]);
  remote = join(realpathSync(here.dir), "remote.git");
  repo = join(realpathSync(here.dir), "repo");
  mkdirSync(join(repo, ".uncaged"), { recursive: true });
  git("init", "-q", "--bare", remote);
  git("init", "-q", "-b", "main");
  git("remote", "add", "origin", remote);
  writeFileSync(join(repo, "began"), "by a person\n");
  writeFileSync(join(repo, ".gitignore"), ".env\ninstalled\n");
  writeFileSync(join(repo, ".env"), "KEY=secret\n");
  writeFileSync(join(repo, ".uncaged", "setup"), "echo set up >> installed\n");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
});
afterAll(() => Promise.all([here.close(), there.close()]));

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

/** A thread of which the first step was made here. */
async function begun(...more: string[]): Promise<string> {
  const run = ["run", "two", "--cwd", repo, "--prompt", FIRST, "--idle", ...more];
  const { threadId } = await here.json<{ threadId: string }>(run);
  await here.json(["thread", "exec", threadId]);
  return threadId;
}

const shown = (cli: Cli, id: string): Promise<Shown> => cli.json(["thread", "show", id]);
const tip = (id: string): string =>
  git("ls-remote", remote, `refs/uncaged/${id}`).split("\t")[0] ?? "";

it("goes on on another machine with the same files and commits, set up there; both can read all of it", async () => {
  const id = await begun("--worktree");
  const [first] = (await shown(here, id)).steps;
  expect(first?.workspace?.saved).toMatchObject({
    ...{ commit: tip(id), thread: id, remote, pushed: true, place: "", left: ["installed"] },
  });
  await there.json(["thread", "exec", id, "--count", "9"]);
  const { status, steps } = await shown(there, id);
  expect(status).toBe("completed");
  const last = steps[1]?.workspace;
  expect(last?.before).toBe(first?.workspace?.after);
  expect(last?.workTree.startsWith(realpathSync(there.root))).toBe(true);
  expect(last?.saved?.commit).toBe(tip(id));
  expect(last?.saved?.machine.id).not.toBe(first?.workspace?.saved?.machine.id);
  git("fetch", "-q", remote, `refs/uncaged/${id}`);
  expect(git("show", "FETCH_HEAD:seen")).toBe("by a person\n1\nset up\nwork\n");
  for (const cli of [here, there])
    expect(await cli.json(["thread", "verify", id])).toMatchObject({ ok: true });
  const { stdout } = await here.run(["thread", "show", id, "--files", "2"]);
  expect(stdout).toContain("in/second");
  // The user's own work tree is as it was.
  expect(existsSync(join(repo, "made"))).toBe(false);
  await there.json(["thread", "rm", id]);
  expect(tip(id)).toBe("");
});

it("without its remote it stays where its files are, and says so", async () => {
  renameSync(remote, `${remote}.away`);
  const id = await begun("--worktree");
  expect((await shown(here, id)).steps[0]?.workspace?.saved?.pushed).toBe(false);
  renameSync(`${remote}.away`, remote);
  const refused = await there.fails(["thread", "exec", id]);
  expect(refused).toMatchObject({ code: "WORKSPACE_ELSEWHERE", exit: 6 });
  expect(refused.hint).toContain(id);
  expect((await shown(there, id)).status).toBe("idle");
  const { stdout } = await here.run(["doctor"]);
  expect(stdout).toContain(id);
  // The next step there pushes all of it.
  await here.json(["thread", "exec", id, "--count", "9"]);
  expect((await shown(here, id)).steps[1]?.workspace?.saved).toMatchObject({ pushed: true });
  expect(readFileSync(join(repo, "began"), "utf8")).toBe("by a person\n");
});

it("a thread that has not begun can begin on another machine, with files that nobody committed", async () => {
  writeFileSync(join(repo, "began"), "changed by a person\n");
  const run = ["run", "two", "--cwd", repo, "--prompt", FIRST, "--idle"];
  const { threadId } = await here.json<{ threadId: string }>(run);
  await there.json(["thread", "exec", threadId, "--count", "9"]);
  git("fetch", "-q", remote, `refs/uncaged/${threadId}`);
  expect(git("show", "FETCH_HEAD:seen")).toContain("changed by a person\n1\n");
  expect(existsSync(join(repo, "made"))).toBe(false);
});
