/** One root in PostgreSQL, and workers of two folders that serve different pools of it. By the built command. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ThreadRecord, WorkerRecord } from "@uncaged/workflow-protocol";
import type { Index } from "@uncaged/workflow-store";
import { openPostgresIndex } from "@uncaged/workflow-store-postgres";
import { testRoot } from "@uncaged/workflow-store-postgres/testing";
import { livenessOf } from "@uncaged/workflow-util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BIN, type Cli, openCli } from "./cli.test.helper.ts";

type Up = { worker: string; pid: number; health: number | null };
type Started = Up & { process: ChildProcess };

let here: Cli;
let there: Cli;
let beside: Cli;
let index: Index;
let first: Started;
let second: Started;
const started: ChildProcess[] = [];

beforeAll(async () => {
  const server = await testRoot();
  [here, there, beside] = [openCli(), openCli(), openCli()];
  for (const cli of [here, there, beside])
    await cli.json(["root", "init", "--postgres", server.url, "--name", server.root]);
  index = await openPostgresIndex(server);
  await here.addSteps("steps");
});
afterAll(async () => {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGTERM");
    child.kill("SIGTERM");
    await once(child, "exit");
  }
  await index.threads.close();
  await Promise.all([here, there, beside].map((cli) => cli.close()));
});

it("a worker is started by its pools, and says which it serves", async () => {
  first = await worker(here, ["--pool", "default", "--at-once", "2"]);
  second = await worker(there, ["--pool", "gpu", "--label", "big", "--health", "0"]);
  expect(await workers()).toEqual([
    expect.objectContaining({ worker: first.worker, pools: ["default"], labels: [], atOnce: 2 }),
    expect.objectContaining({ worker: second.worker, pools: ["gpu"], labels: ["big"] }),
  ]);
  const probe = (path: string) => fetch(`http://127.0.0.1:${second.health}${path}`);
  expect((await probe("/healthz")).status).toBe(200);
  expect((await probe("/readyz")).status).toBe(200);
  const text = await here.run(["worker", "list"]);
  expect(text.stdout).toContain(second.worker);
  expect(text.stdout).toContain("gpu");
});

it("a thread runs where its pool and what it needs are, whoever started it", async () => {
  const took = await Promise.all([
    run(here, { steps: 1, sleepMs: 3_000 }, ["--pool", "gpu", "--needs", "big"]).then(tookBy),
    run(there, { steps: 1, sleepMs: 3_000 }, []).then(tookBy),
  ]);
  expect(took).toEqual([second.worker, first.worker]);
});

it("what nobody serves waits in the queue, which says for what; doctor says so, too", async () => {
  const run = await here.run(["run", "steps", "--prompt", "{}", "--needs", "tape"]);
  const threadId = run.stdout.trim();
  expect(run.stderr).toContain("waits for a worker with label tape");
  expect(run.stderr).toContain("uncaged-workflow worker start --pool default --label tape");
  const { threads } = await here.json<{ threads: unknown[] }>(["queue"]);
  expect(threads).toEqual([
    expect.objectContaining({ threadId, pool: "default", needs: ["tape"] }),
  ]);
  const { checks } = await here.json<{ checks: { name: string; message: string; fix: string }[] }>([
    "doctor",
  ]);
  const row = checks.find(({ name }) => name === "workers");
  expect(row?.message).toContain("label tape");
  await here.json(["thread", "kill", threadId]);
});

it("told to end, a worker finishes the step under way and leaves the rest to another", async () => {
  const threadId = await runUntilBegun(here, { steps: 2, gate: "drain" }, ["--pool", "gpu"]);
  second.process.kill("SIGTERM");
  const exit = once(second.process, "exit");
  const draining = await untilWorkers((all) => all.some(({ drainingAt }) => drainingAt !== null));
  expect(draining.find(({ worker: name }) => name === second.worker)?.threads).toEqual([threadId]);
  expect((await fetch(`http://127.0.0.1:${second.health}/readyz`)).status).toBe(503);
  writeFileSync(join(here.dir, "drain-1"), "");
  expect(await exit).toEqual([0, null]);
  const left = await until(threadId, ({ status }) => status === "queued");
  expect(left.stepCount).toBe(1);
  expect((await workers()).map(({ worker: name }) => name)).toEqual([first.worker]);

  writeFileSync(join(here.dir, "drain-2"), "");
  second = await worker(there, ["--pool", "gpu"]);
  await until(threadId, ({ status }) => status === "completed");
  expect(await here.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  // Neither began twice.
  expect(began(here).slice(-2)).toEqual(["1", "2"]);
});

it("drained by name it does the same; a step that takes longer than the grace begins once more elsewhere", async () => {
  const third = await worker(beside, ["--pool", "slow", "--grace", "0"]);
  const threadId = await runUntilBegun(here, { steps: 1, gate: "slow" }, ["--pool", "slow"]);
  await here.json(["worker", "drain", third.worker]);
  await untilWorkers((all) => all.some(({ drainingAt }) => drainingAt !== null));
  third.process.kill("SIGTERM");
  expect(await once(third.process, "exit")).toEqual([0, null]);
  await until(threadId, ({ status, stepCount }) => status === "queued" && stepCount === 0);
  writeFileSync(join(here.dir, "slow-1"), "");
  const fourth = await worker(beside, ["--pool", "slow"]);
  await until(threadId, ({ status }) => status === "completed");
  expect(await here.json(["worker", "drain", fourth.worker, "--wait"])).toEqual({
    worker: fourth.worker,
    ended: true,
  });
  expect(await here.fails(["worker", "drain", fourth.worker])).toMatchObject({
    code: "WORKER_NOT_FOUND",
  });
});

it("told twice, it ends at once, with its agents; the step begins once more with the next one", async () => {
  const third = await worker(beside, ["--pool", "slow", "--grace", "10m"]);
  const threadId = await runUntilBegun(here, { steps: 1, gate: "twice" }, ["--pool", "slow"]);
  const owned = await index.threads.get(threadId);
  if (owned?.status !== "running") throw new Error("nobody runs it");
  third.process.kill("SIGTERM");
  await untilWorkers((all) => all.some(({ drainingAt }) => drainingAt !== null));
  third.process.kill("SIGTERM");
  expect(await once(third.process, "exit")).toEqual([130, null]);
  await expect.poll(() => livenessOf(owned.lease.process), LONG).toBe("dead");
  writeFileSync(join(here.dir, "twice-1"), "");
  const fourth = await worker(beside, ["--pool", "slow"]);
  await until(threadId, ({ status }) => status === "completed");
  expect(began(here).slice(-2)).toEqual(["1", "1"]);
  fourth.process.kill("SIGTERM");
  expect(await once(fourth.process, "exit")).toEqual([0, null]);
});

it("killed, its threads go on with the next one of its pool, and its row goes", async () => {
  const threadId = await run(here, { steps: 2, gate: "kill" }, ["--pool", "gpu"]);
  writeFileSync(join(here.dir, "kill-1"), "");
  const owned = await until(threadId, ({ stepCount }) => stepCount === 1);
  if (owned.status !== "running") throw new Error("nobody runs it");
  second.process.kill("SIGKILL");
  process.kill(owned.lease.process.pid, "SIGKILL");
  const third = await worker(there, ["--pool", "gpu"]);
  writeFileSync(join(here.dir, "kill-2"), "");
  await until(threadId, ({ status }) => status === "completed");
  expect((await workers()).map(({ worker: name }) => name)).toEqual([first.worker, third.worker]);
  expect(await here.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
});

it("without a pool the command is about tasks, as it was", async () => {
  expect(await here.fails(["worker", "start"])).toMatchObject({
    code: (await here.fails(["task", "start"])).code,
  });
  expect(await here.fails(["worker", "start", "--at-once", "2"])).toMatchObject({ code: "USAGE" });
  expect(await here.fails(["worker", "start", "some-task", "--pool", "default"])).toMatchObject({
    code: "USAGE",
  });
});

async function worker(cli: Cli, words: readonly string[]): Promise<Started> {
  const child = spawn(process.execPath, [BIN, "--json", "worker", "start", ...words], {
    cwd: cli.dir,
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env.PATH, HOME: cli.dir, WORKFLOW_STORAGE_ROOT: cli.root },
  });
  started.push(child);
  const { promise, resolve, reject } = Promise.withResolvers<Up>();
  child.stdout.once("data", (chunk: Buffer) => resolve(JSON.parse(chunk.toString())));
  child.once("exit", (code) => reject(new Error(`the worker ended with code ${code}`)));
  return { ...(await promise), process: child };
}

/** Starts a thread in the folder of `cli`, for whichever worker takes it. */
async function run(cli: Cli, plan: object, words: readonly string[]): Promise<string> {
  const prompt = JSON.stringify(plan);
  const asked = ["run", "steps", "--prompt", prompt, "--cwd", cli.dir, "--queue", ...words];
  return (await cli.json<{ threadId: string }>(asked)).threadId;
}

const workers = (): Promise<WorkerRecord[]> => index.workers.list(0);

async function untilWorkers(
  holds: (all: readonly WorkerRecord[]) => boolean,
): Promise<WorkerRecord[]> {
  return expect.poll(workers, LONG).toSatisfy(holds).then(workers);
}

async function until(
  threadId: string,
  holds: (thread: ThreadRecord) => boolean,
): Promise<ThreadRecord> {
  const seen = async () => {
    const thread = await index.threads.get(threadId);
    return thread !== null && holds(thread) ? thread : null;
  };
  await expect.poll(seen, LONG).not.toBeNull();
  const thread = await index.threads.get(threadId);
  if (thread === null) throw new Error(`no thread ${threadId}`);
  return thread;
}

const LONG = { timeout: 30_000, interval: 25 };

/** Which worker ran the thread; it is asked while the thread runs. */
async function tookBy(threadId: string): Promise<string | undefined> {
  let taken: string | undefined;
  await until(threadId, () => true);
  await expect
    .poll(async () => {
      const owner = (await workers()).find(({ threads }) => threads.includes(threadId));
      taken ??= owner?.worker;
      return taken;
    }, LONG)
    .toBeDefined();
  await until(threadId, ({ status }) => status === "completed");
  return taken;
}

/** The same; returns when its first step is under way. */
async function runUntilBegun(cli: Cli, plan: object, words: readonly string[]): Promise<string> {
  const before = began(cli).length;
  const threadId = await run(cli, plan, words);
  await expect.poll(() => began(cli).length, LONG).toBeGreaterThan(before);
  return threadId;
}

/** The steps that began in the folder. */
function began({ dir }: Cli): string[] {
  const file = join(dir, "began");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}
