/** Backups beside running threads, by the built command. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ThreadSummary } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BIN, type Cli, openCli } from "./cli.test.helper.ts";
import { untilThread, untilThreads } from "./until-thread.test.helper.ts";

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
});
afterAll(() => cli.close());

const STEPS = 12;

async function threadsIn(env: Record<string, string>): Promise<ThreadSummary[]> {
  return (await cli.json<{ threads: ThreadSummary[] }>(["list"], { env })).threads;
}

it("a root is backed up and restored while its threads run, and every thread is proved", async () => {
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    const plan = JSON.stringify({ steps: STEPS, gate: `gate${n}` });
    const { threadId } = await cli.json<{ threadId: string }>(["run", "steps", "-p", plan]);
    ids.push(threadId);
    writeFileSync(join(cli.dir, `gate${n}-1`), "");
    await untilThread(cli.root, threadId, ({ stepCount }) => stepCount === 1);
  }
  const backups = ["before.tar"];
  await cli.json(["backup", "before.tar"]);
  for (let n = 0; n < 3; n += 1)
    for (let step = 2; step <= STEPS; step += 1)
      writeFileSync(join(cli.dir, `gate${n}-${step}`), "");
  for (let n = 0; n < 3; n += 1) {
    await cli.json(["backup", `meanwhile-${n}.tar`]);
    await cli.json(["cas", "gc", "--grace", "0"]);
    backups.push(`meanwhile-${n}.tar`);
  }
  await cli.json(["thread", "wait", ...ids]);

  for (const file of backups) {
    const env = { WORKFLOW_STORAGE_ROOT: join(cli.dir, `copy-of-${file}`) };
    const restored = await cli.json<{ threads: number }>(["restore", file], { env });
    expect(restored.threads).toBe(3);
    for (const { threadId, status, stepCount } of await threadsIn(env)) {
      expect(["idle", "completed"]).toContain(status);
      expect(stepCount).toBeGreaterThan(0);
      const proved = await cli.json(["thread", "verify", threadId], { env });
      expect(proved).toMatchObject({ ok: true, problems: [] });
    }
    expect(await cli.json(["cas", "fsck"], { env })).toMatchObject({ ok: true });
  }
  // The restored threads continue from where they were when the backup was taken.
  const env = { WORKFLOW_STORAGE_ROOT: join(cli.dir, "copy-of-before.tar") };
  expect(await threadsIn(env)).toMatchObject(ids.map(() => ({ status: "idle", stepCount: 1 })));
  await cli.json(["resume", ids[0] ?? "", "--wait"], { env });
  const done = (await threadsIn(env)).find(({ threadId }) => threadId === ids[0]);
  expect(done).toMatchObject({ status: "completed", stepCount: STEPS + 1 });
}, 300_000);

it("a restore says what to do next, and refuses a root in use", async () => {
  const refused = await cli.fails(["restore", "before.tar"]);
  expect([refused.exit, refused.code]).toEqual([2, "TARGET_EXISTS"]);
  const env = { WORKFLOW_STORAGE_ROOT: join(cli.dir, "once-more") };
  const { stdout } = await cli.run(["restore", "before.tar"], { env });
  expect(stdout).toMatch(/3 threads, \d+ blobs, as of 20/);
  expect(stdout).toContain("put back your .env");
  expect(existsSync(join(cli.dir, "once-more.restoring"))).toBe(false);
  writeFileSync(join(cli.dir, "no.tar"), "no backup at all");
  const env2 = { WORKFLOW_STORAGE_ROOT: join(cli.dir, "nothing") };
  const bad = await cli.fails(["restore", "no.tar"], { env: env2 });
  expect([bad.exit, bad.code]).toEqual([5, "BACKUP_INVALID"]);
  expect(existsSync(join(cli.dir, "nothing"))).toBe(false);
});

it("a restored root starts nothing by itself until somebody says so", async () => {
  const start = ["--workflow", "steps", "--prompt", '{"steps":1}'];
  await cli.json(["schedule", "add", "often", "--every", "1s", ...start]);
  await cli.json(["schedule", "add", "never", "--every", "9h", ...start]);
  await cli.json(["schedule", "pause", "never"]);
  const files = join(cli.dir, "files");
  mkdirSync(files);
  const watch = ["--watch", files, "--workflow", "steps", "--prompt", "{{ path }}"];
  await cli.json(["trigger", "add", "arrived", ...watch]);
  await cli.json(["backup", "scheduled.tar"]);
  await cli.json(["schedule", "pause", "often"]);
  await cli.json(["trigger", "pause", "arrived"]);
  const env = { WORKFLOW_STORAGE_ROOT: join(cli.dir, "second") };
  const { stdout } = await cli.run(["restore", "scheduled.tar"], { env });
  expect(stdout).toContain(
    "the schedule often is paused; once the root that was backed up is no longer in use: uncaged-workflow schedule resume often",
  );
  expect(stdout).toContain("uncaged-workflow trigger resume arrived");
  expect(stdout).not.toContain("resume never");
  const paused = { pausedAt: expect.any(Number) };
  const { schedules } = await cli.json<{ schedules: unknown[] }>(["schedule", "list"], { env });
  expect(schedules).toMatchObject([paused, paused]);
  const before = (await threadsIn(env)).length;
  const up = cli.run(["up"], { env });
  try {
    const second = env.WORKFLOW_STORAGE_ROOT;
    while (!existsSync(join(second, "host.json"))) await sleep(50);
    // Of those that are due each second, only the one that was added here fires.
    await cli.json(["schedule", "add", "new", "--every", "1s", ...start], { env });
    const fired = await untilThreads(second, (all) => {
      const started = all.filter(({ labels }) => "schedule" in labels);
      return started.length > 0 ? started.map(({ labels }) => labels.schedule) : null;
    });
    expect(new Set(fired)).toEqual(new Set(["new"]));
    expect((await threadsIn(env)).length).toBeGreaterThan(before);
  } finally {
    await cli.run(["down"], { env });
    await up;
  }
});

it("whenever it is killed, there is a whole backup or none, and a whole root or none", async () => {
  const whole = join(cli.dir, "whole.tar");
  await cli.json(["backup", whole]);
  for (let n = 0; n < 8; n += 1) {
    // From before it has begun to after its end, on whatever machine.
    const file = join(cli.dir, `killed-${n}.tar`);
    await killedAfter(n * 60, ["backup", file], {});
    const root = join(cli.dir, `killed-root-${n}`);
    const env = { WORKFLOW_STORAGE_ROOT: root };
    await killedAfter(n * 60, ["restore", whole], env);
    if (existsSync(root))
      expect(await cli.json(["cas", "fsck"], { env })).toMatchObject({ ok: true });
    else expect(await cli.json(["restore", whole], { env })).toMatchObject({ threads: 3 });
    if (!existsSync(file)) await cli.json(["backup", file]);
    const copy = { WORKFLOW_STORAGE_ROOT: join(cli.dir, `from-killed-${n}`) };
    expect(await cli.json(["restore", file], { env: copy })).toMatchObject({ threads: 3 });
  }
  expect(existsSync(join(cli.root, ".backup"))).toBe(false);
}, 300_000);

async function killedAfter(
  ms: number,
  args: readonly string[],
  env: Record<string, string>,
): Promise<void> {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: cli.dir,
    stdio: "ignore",
    env: { PATH: process.env.PATH, HOME: cli.dir, WORKFLOW_STORAGE_ROOT: cli.root, ...env },
  });
  const ended = once(child, "close");
  await sleep(ms);
  child.kill("SIGKILL");
  await ended;
}
