/** The processes of a thread: its runner, former runners, and what its agents start. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { leaseOf } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { freeze } from "./freeze.test.helper.ts";
import { HANDS_WORKFLOW } from "./hands-workflow.ts";
import { killHard } from "./kill-hard.test.helper.ts";
import { untilThread } from "./until-thread.test.helper.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

type Running = { threadId: string; pid: number; status: string; stale: boolean };
type Left = { threadId: string; pids: number[]; command: string };
type Listed = { threads: Running[]; leftovers: Left[] };
type Shown = { status: string };

const ZOD = fileURLToPath(new URL("../node_modules/zod", import.meta.url));

let cli: Cli;
/** Another root. */
let alone: Cli;
beforeAll(async () => {
  cli = openCli();
  const folder = join(cli.dir, "hands");
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(ZOD, join(folder, "node_modules", "zod"));
  writeFileSync(join(folder, "package.json"), '{ "name": "hands", "type": "module" }\n');
  writeFileSync(join(folder, "hands.mjs"), HANDS_WORKFLOW);
  const built = ["workflow", "build", join(folder, "hands.mjs")];
  const { file } = await cli.json<{ file: string }>(built);
  await cli.json(["workflow", "add", "hands", file]);
  alone = openCli();
  cpSync(cli.root, alone.root, { recursive: true });
});
afterAll(() => Promise.all([cli, alone].map((each) => each.close())));

/** It waits twice until a lease runs out, so the others go on beside it. */
it.concurrent("a runner whose step never yields keeps its lease, and ends once it is replaced", async () => {
  const { threadId, pid } = await begun({ blocks: true }, alone);
  await untilThread(
    alone.root,
    threadId,
    (thread) =>
      thread.status === "running" &&
      thread.lease.heartbeatAt - thread.lease.acquiredAt > LEASE_MS / 2,
  );
  expect(await runner(threadId, alone)).toMatchObject({ pid, status: "running", stale: false });

  await freeze(alone.root, pid);
  await untilThread(
    alone.root,
    threadId,
    (thread) => (leaseOf(thread)?.expiresAt ?? 0) < Date.now(),
  );
  await alone.json(["thread", "resume", threadId]);
  const next = (await runner(threadId, alone)).pid;
  expect(next).not.toBe(pid);
  process.kill(pid, "SIGCONT");
  await gone(pid);
  expect(await runner(threadId, alone)).toMatchObject({ pid: next, stale: false });

  await alone.json(["thread", "kill", threadId]);
  await gone(next);
  expect(await alone.json<Shown>(["thread", "show", threadId])).toMatchObject({
    status: "aborted",
  });
});

describe.concurrent("one after the other", () => {
  it("what a killed runner's agent runs is ended, even if nobody resumes the thread", {
    concurrent: false,
  }, async () => {
    const { threadId, pid, work } = await begun({ sh: STARTS_TWO });
    const agents = await pidsIn(work, 2);
    await killHard(pid);
    for (const each of agents) await gone(each);
    expect((await listed()).leftovers).toEqual([]);
    await cli.json(["thread", "kill", threadId]);
  });

  it("leftovers of a killed guard are reported, with the command that ends them", {
    concurrent: false,
  }, async () => {
    const { threadId, pid, work } = await begun({ sh: STARTS_TWO });
    const agents = await pidsIn(work, 2);
    for (const guard of guardsOf(threadId)) await killHard(guard);
    await killHard(pid);
    const { leftovers } = await listed();
    const [left] = leftovers;
    expect(leftovers).toHaveLength(1);
    expect(left).toMatchObject({ threadId, command: `uncaged-workflow thread stop ${threadId}` });
    expect(left?.pids).toEqual(expect.arrayContaining(agents));
    const { code, stdout } = await cli.run(["doctor", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).checks).toContainEqual({
      name: "leftovers",
      ok: false,
      message: expect.stringContaining(String(agents[0])),
      fix: left?.command,
    });
    await cli.json(left?.command.split(" ").slice(1) ?? []);
    for (const each of agents) await gone(each);
    expect((await listed()).leftovers).toEqual([]);
  });

  it("a kill ends processes that have cleared or changed the tag of their run", {
    concurrent: false,
  }, async () => {
    const { threadId, work } = await begun({ sh: HIDES });
    const hidden = await pidsIn(work, 4);
    await cli.json(["thread", "kill", threadId]);
    for (const each of hidden) await gone(each);
  });

  it("a thread that an agent starts outlives it", { concurrent: false }, async () => {
    const command = fileURLToPath(new URL("../bin/uncaged-workflow.mjs", import.meta.url));
    const other = JSON.stringify({ sh: "echo $$ >> other; sleep 600" });
    const { threadId, work } = await begun({
      sh: `"${process.execPath}" "${command}" thread run hands --cwd . --prompt '${other}' > started; sleep 600`,
    });
    const [agent] = await pidsIn(work, 1, "other");
    await cli.json(["thread", "kill", threadId]);
    const started = readFileSync(join(work, "started"), "utf8").trim();
    expect(await runner(started)).toMatchObject({ status: "running", stale: false });
    await cli.json(["thread", "kill", started]);
    await gone(agent ?? 0);
  });

  it("a runner opens no inspector, whatever signal it gets", { concurrent: false }, async () => {
    const { threadId, pid } = await begun({ sh: "sleep 600" });
    process.kill(pid, "SIGUSR1");
    await sleep(1_000);
    expect(await runner(threadId)).toMatchObject({ pid, stale: false });
    const log = readFileSync(join(cli.root, "logs", `${threadId}.runner.log`), "utf8");
    expect(log).not.toContain("Debugger");
    await cli.json(["thread", "kill", threadId]);
  });

  it("a runner that froze in the middle of a write is named by doctor, and ends when it is told to", {
    concurrent: false,
  }, async () => {
    const frozen = await begun({ freezes: true });
    const { stdout } = await cli.run(["doctor", "--json"]);
    expect(JSON.parse(stdout).checks).toContainEqual({
      name: "index",
      ok: false,
      message: expect.stringContaining(String(frozen.pid)),
      fix: `uncaged-workflow thread stop ${frozen.threadId}`,
    });
    await cli.json(["thread", "kill", frozen.threadId]);
    await gone(frozen.pid);
    // The root is free again.
    const other = await begun({ sh: "sleep 600" });
    await cli.json(["thread", "kill", other.threadId]);
  });
});

/** How long a lease lasts without renewal. */
const LEASE_MS = 15_000;
const STARTS_TWO = "sleep 600 & echo $! >> pids; echo $$ >> pids; wait";
const HIDES = `UNCAGED_RUN_MARK= sleep 600 & echo $! >> pids
UNCAGED_RUN_MARK=another:1:x sleep 600 & echo $! >> pids
UNCAGED_RUN_MARK= setsid sleep 600 & echo $! >> pids
echo $$ >> pids; wait`;

async function begun(
  plan: Record<string, unknown>,
  at: Cli = cli,
): Promise<{ threadId: string; pid: number; work: string }> {
  const work = join(at.dir, "work", String(Math.random()).slice(2));
  mkdirSync(work, { recursive: true });
  const { threadId } = await at.json<{ threadId: string }>([
    ...["thread", "run", "hands", "--cwd", work, "--prompt", JSON.stringify(plan)],
  ]);
  while (!existsSync(join(work, "began"))) await sleep(50);
  return { threadId, pid: (await runner(threadId, at)).pid, work };
}

function listed(at: Cli = cli): Promise<Listed> {
  return at.here<Listed>(["thread", "ps"]);
}

async function runner(threadId: string, at: Cli = cli): Promise<Running> {
  const found = (await listed(at)).threads.find((thread) => thread.threadId === threadId);
  if (found === undefined) throw new Error(`nobody runs ${threadId}`);
  return found;
}

async function pidsIn(work: string, wanted: number, file = "pids"): Promise<number[]> {
  const path = join(work, file);
  while (true) {
    const pids = existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").map(Number) : [];
    if (pids.length >= wanted) return pids.map((pid) => pidHere(pid, work));
    await sleep(50);
  }
}

/** A process in a sandbox knows its number there, which is the last one of `NSpid` (proc_pid_status(5)). */
function pidHere(pid: number, work: string): number {
  const own = new RegExp(`^NSpid:.*\\s${pid}$`, "m");
  const found = pids().find(
    (each) => own.test(textOf(`/proc/${each}/status`)) && folderOf(each) === work,
  );
  if (found === undefined) throw new Error(`no process in ${work} has the number ${pid}`);
  return found;
}

function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

function pids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Waits until the test's timeout; a process that ended but has not been reaped is a zombie. */
async function gone(pid: number): Promise<void> {
  while (existsSync(`/proc/${pid}`)) {
    if (/^State:\s+[ZX]/m.test(textOf(`/proc/${pid}/status`))) return;
    await sleep(100);
  }
}

function guardsOf(threadId: string): number[] {
  return pids().filter((pid) =>
    textOf(`/proc/${pid}/environ`).includes(`UNCAGED_GUARD=${threadId}:`),
  );
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
