/** The queue and the limits of a storage root, as built: with and without a host, and when processes are killed. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openEngine, startThread } from "@uncaged/workflow-execute";
import { isFinished, leaseOf, type ThreadView, unwrap } from "@uncaged/workflow-protocol";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { BIN, type Cli, openCli } from "./cli.test.helper.ts";
import { CROWD_WORKFLOW } from "./crowd-workflow.ts";
import { type Hosted, hosted } from "./hosted.test.helper.ts";
import { untilThread, untilThreads } from "./until-thread.test.helper.ts";

/** The number of queued threads and of kills in the test that kills host and runners. */
const QUEUED = Number(process.env.UNCAGED_TEST_QUEUED ?? 12);
const KILLS = Number(process.env.UNCAGED_TEST_QUEUE_KILLS ?? 3);
const LIMIT = 4;

const PARENT = `
import { buildDescriptor, createWorkflow, END, START, workflowAsAgent } from "@uncaged/workflow-runtime";
import { z } from "zod";
const definition = {
  description: "hands its work to a child",
  roles: { delegate: { description: "runs a child", systemPrompt: "", schema: z.looseObject({}), extractRefs: null } },
  table: { [START]: [{ condition: "FALLBACK", role: "delegate" }], delegate: [{ condition: "FALLBACK", role: END }] },
};
const adapter = (prompt, schema) => async (ctx, runtime) => {
  const { child, task } = JSON.parse(ctx.start.content);
  return workflowAsAgent(child, { prompt: () => JSON.stringify(task) })(prompt, schema)(ctx, runtime);
};
export const run = createWorkflow(definition, { adapter, overrides: null });
export const descriptor = buildDescriptor(definition);
`;

/** Appends + and - to \`agents\` around its only step. */
const AGENT = `echo + >> "$PWD/agents"
sleep 0.05
echo - >> "$PWD/agents"
echo '{"left":0}'
`;

let cli: Cli;
let host: Hosted;
/** The workflows part of \`workflow.yaml\`. */
let registered = "";

beforeAll(async () => {
  cli = openCli();
  host = hosted(cli);
  await cli.addSteps("steps");
  for (const [name, source] of [
    ["crowd", CROWD_WORKFLOW],
    ["parent", PARENT],
  ] as const) {
    const file = join(cli.dir, "flow", `${name}.mjs`);
    writeFileSync(file, source);
    const built = await cli.json<{ file: string }>(["workflow", "build", file]);
    await cli.json(["workflow", "add", name, built.file]);
  }
  registered = readFileSync(join(cli.root, "workflow.yaml"), "utf8");
  writeFileSync(join(cli.dir, "agent.sh"), AGENT);
});
afterEach(async () => {
  await cli.here(["down"]);
  await cli.here(["queue", "resume"]);
  const { threads } = await cli.here<{ threads: { threadId: string; status: string }[] }>(["list"]);
  for (const { threadId, status } of threads)
    if (["idle", "queued", "running", "paused"].includes(status))
      await cli.here(["thread", "kill", threadId]);
});
afterAll(() => cli.close());

function limit(limits: unknown, more: Record<string, unknown> = {}): void {
  const text = `${registered}config: ${JSON.stringify({ limits, ...more })}\n`;
  writeFileSync(join(cli.root, "workflow.yaml"), text, { mode: 0o600 });
}

function place(name: string): string {
  const folder = join(cli.dir, name);
  mkdirSync(folder);
  return folder;
}

async function start(cwd: string, task: object, ...more: string[]): Promise<string> {
  return (await cli.json<{ threadId: string }>(words(cwd, task, more))).threadId;
}

/** The same in this process, where a host is up and runs it. */
async function give(cwd: string, task: object, ...more: string[]): Promise<string> {
  return (await cli.here<{ threadId: string }>(words(cwd, task, more))).threadId;
}

function words(cwd: string, task: object, more: readonly string[]): string[] {
  return ["run", "crowd", "--prompt", JSON.stringify(task), "--cwd", cwd, ...more];
}

const show = (threadId: string): Promise<ThreadView> => cli.here(["thread", "show", threadId]);
const lines = (cwd: string, name: string): string[] =>
  existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), "utf8").trim().split("\n") : [];
const open = (cwd: string): void => writeFileSync(join(cwd, "open"), "");
const completed = (threadId: string) =>
  untilThread(cli.root, threadId, ({ status }) => status === "completed");
const began = (cwd: string, threadId: string) =>
  untilThreads(cli.root, () => (lines(cwd, "began").includes(threadId) ? true : null));

describe("without a host", () => {
  it("a thread beyond a limit is queued, says so, and obeys commands", async () => {
    limit({ threads: 1, workflows: { crowd: { atOnce: 1 } } });
    const cwd = place("alone");
    const first = await start(cwd, { steps: 1, gate: "open" });
    await began(cwd, first);
    const words = ["run", "crowd", "--prompt", '{"steps":1}', "--cwd", cwd, "--priority", "7"];
    const { code, stdout, stderr } = await cli.run(words);
    expect(code).toBe(0);
    expect(stderr).toBe(
      "queued: it waits for threads, workflow crowd; no host is up to start it: uncaged-workflow up\n",
    );
    const second = stdout.trim();
    expect(await show(second)).toMatchObject({
      status: "queued",
      priority: 7,
      queue: { for: ["threads", "workflow:crowd"], notBefore: null },
    });
    const queued = { threads: [{ threadId: second, status: "queued", priority: 7 }] };
    expect(await cli.json(["queue"])).toMatchObject({ ...queued, pausedSince: null });
    expect(await cli.json(["list", "--status", "queued"])).toMatchObject(queued);
    expect(await cli.json(["ps"])).toMatchObject({ queued: queued.threads });
    expect((await cli.run(["queue"])).stdout).toMatch(/WAITS FOR\n.* threads, workflow crowd\n/);
    expect(await cli.fails(["thread", "exec", second])).toMatchObject({
      exit: 6,
      code: "LIMIT_REACHED",
    });
    expect((await cli.run(["--json", "wait", second])).code).toBe(1);

    const queue = { for: ["threads", "workflow:crowd"], notBefore: null };
    const another = await cli.json<{ threadId: string }>(words);
    expect(another).toMatchObject({ queue });
    await cli.json(["thread", "rm", another.threadId]);
    expect(await cli.json(["thread", "stop", second])).toMatchObject({ status: "idle" });
    expect(await cli.json(["thread", "resume", second])).toMatchObject({ status: "queued" });
    expect(await cli.json(["thread", "pause", second])).toMatchObject({ status: "paused" });
    expect(await cli.json(["thread", "resume", second])).toMatchObject({ status: "queued" });
    expect(await cli.json(["thread", "kill", second])).toMatchObject({ status: "aborted" });
    const third = await start(cwd, { steps: 1 });
    expect((await show(third)).status).toBe("queued");
    await cli.json(["thread", "rm", third]);
    expect(await cli.json(["queue"])).toMatchObject({ threads: [] });

    open(cwd);
    await completed(first);
    const fourth = await start(cwd, { steps: 1 });
    await completed(fourth);
  });

  it("doctor finds limits that hold nothing back, and a queue that nobody empties", async () => {
    const found = async () => {
      const { checks } = await cli.json<{ checks: { name: string; message: string }[] }>([
        "doctor",
      ]);
      return checks.find(({ name }) => name === "limits")?.message;
    };
    limit({ workflows: { crawd: { atOnce: 1 } }, providers: { mine: { tokensPerMinute: 9 } } });
    expect(await found()).toMatch(/crawd: no workflow is registered .*mine: no agent is known/);
    limit({ threads: 3 });
    expect(await found()).toBe("1 limit; 0 threads queued");
    await start(place("doctor"), {}, "--queue");
    expect(await found()).toBe("1 thread queued, and no host is up to start them");
  });

  it("a parent lends its room to its child", async () => {
    limit({ threads: 1 });
    const cwd = place("parent");
    const prompt = JSON.stringify({ child: "crowd", task: { steps: 2 } });
    const words = ["run", "parent", "--prompt", prompt, "--cwd", cwd, "--wait"];
    expect(await cli.json(words)).toMatchObject({ status: "completed" });
    expect(lines(cwd, "crowd")).toEqual(["1", "1"]);
  });
});

describe("a host", () => {
  it("starts by priority, then age, as soon as there is room", async () => {
    limit({ threads: 1 });
    const cwd = place("order");
    await host.up();
    const first = await start(cwd, { steps: 1, gate: "open" });
    await began(cwd, first);
    const low = await start(cwd, { steps: 1 }, "--priority=-1");
    const usual = await start(cwd, { steps: 1 });
    const later = await start(cwd, { steps: 1 }, "--queue");
    const high = await start(cwd, { steps: 1 }, "--priority", "2");
    const queue = await cli.json<{ threads: { threadId: string }[] }>(["queue"]);
    const order = [high, usual, later, low];
    expect(queue.threads.map(({ threadId }) => threadId)).toEqual(order);
    open(cwd);
    for (const threadId of order) await completed(threadId);
    expect(lines(cwd, "began")).toEqual([first, ...order]);
  });

  it("runs children of parents at limit 1, with and without room of their own", async () => {
    limit({ threads: 1 });
    const cwd = place("family");
    await host.up();
    const prompt = JSON.stringify({
      child: "parent",
      task: { child: "crowd", task: { steps: 2 } },
    });
    const words = ["run", "parent", "--prompt", prompt, "--cwd", cwd];
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push((await cli.json<{ threadId: string }>(words)).threadId);
    for (const threadId of ids) await completed(threadId);
    expect(new Set(lines(cwd, "crowd"))).toEqual(new Set(["1"]));
  });

  it("follows a limit that is raised or lowered while it is up", async () => {
    limit({ threads: 1 });
    const cwd = place("raised");
    await host.up();
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) ids.push(await give(cwd, { steps: 1, gate: "open" }));
    const running = (most: number) =>
      untilThreads(cli.root, (threads) => {
        const here = threads.filter(({ threadId }) => ids.includes(threadId));
        return here.filter(({ status }) => status === "running").length === most ? true : null;
      });
    await running(1);
    limit({ threads: 3 });
    await running(3);
    // A thread runs before its step does, and the gate opens for steps that have begun.
    await expect.poll(() => lines(cwd, "crowd").length, { timeout: 30_000 }).toBe(3);
    limit({ threads: 1 });
    const more = await give(cwd, { steps: 1, gate: "open" });
    expect((await show(more)).status).toBe("queued");
    open(cwd);
    for (const threadId of [...ids, more]) await completed(threadId);
    expect(Math.max(...lines(cwd, "crowd").map(Number))).toBe(3);
  });

  it("starts nothing while the queue is paused or before the given time", async () => {
    limit(undefined);
    const cwd = place("paused");
    await host.up();
    await cli.json(["queue", "pause"]);
    const held = await give(cwd, { steps: 1 });
    expect(await show(held)).toMatchObject({ status: "queued", queue: { for: ["paused"] } });
    await cli.json(["queue", "resume"]);
    await completed(held);
    const soon = await give(cwd, { steps: 1 }, "--after", "1s");
    const someday = await give(cwd, { steps: 1 }, "--after", "2099-01-01T00:00Z");
    await completed(soon);
    expect(await show(someday)).toMatchObject({
      status: "queued",
      queue: { notBefore: Date.UTC(2099, 0, 1) },
    });
    expect(await cli.json(["thread", "resume", someday])).toMatchObject({ threadId: someday });
    await completed(someday);
  });

  it("runs an agent at most as often at once as its limit says, for any number of threads", async () => {
    const options = { command: "/bin/sh", args: [join(cli.dir, "agent.sh")], output: "json" };
    limit(
      { agents: { hand: { atOnce: 2 } } },
      {
        agents: { hand: { package: "@uncaged/workflow-agent-command", options } },
        bindings: { crowd: { one: "hand" } },
      },
    );
    const cwd = place("hands");
    await host.up();
    const ids = await Promise.all(Array.from({ length: 8 }, () => give(cwd, { steps: 1 })));
    for (const threadId of ids) await completed(threadId);
    let atOnce = 0;
    const seen = lines(cwd, "agents").map((mark) => {
      atOnce += mark === "+" ? 1 : -1;
      return atOnce;
    });
    expect(seen).toHaveLength(16);
    expect(Math.max(...seen)).toBeLessThanOrEqual(2);
  });

  it("runs the threads that agents start and wait for, at limit 1", async () => {
    const script = join(cli.dir, "starter.sh");
    writeFileSync(
      script,
      `"${process.execPath}" "${BIN}" run steps --prompt '{"steps":1}' --wait > "$PWD/inner" && echo '{"left":0}'\n`,
    );
    const options = {
      ...{ command: "/bin/sh", args: [script], output: "json" },
      env: { WORKFLOW_STORAGE_ROOT: cli.root },
    };
    limit(
      { threads: 1 },
      {
        agents: { starter: { package: "@uncaged/workflow-agent-command", options } },
        bindings: { crowd: { one: "starter" } },
      },
    );
    await host.up();
    const places = ["outer 1", "outer 2"].map(place);
    const ids = await Promise.all(places.map((cwd) => give(cwd, { steps: 1 })));
    for (const threadId of ids) await completed(threadId);
    for (const cwd of places) expect(lines(cwd, "inner").join()).toContain("completed");
  });

  it("takes a thread that cannot start out of the queue, and starts the next", async () => {
    limit({ threads: 1 });
    const cwd = place("broken");
    const words = ["run", "steps", "--prompt", "{}", "--cwd", cwd, "--queue"];
    const { threadId: broken } = await cli.json<{ threadId: string }>(words);
    const next = await give(cwd, { steps: 1 }, "--queue");
    const { bundleHash } = await show(broken);
    const bundle = join(cli.root, "bundles", bundleHash, "bundle.esm.js");
    renameSync(bundle, `${bundle}.away`);
    try {
      await host.up();
      await completed(next);
      expect((await show(broken)).status).toBe("idle");
    } finally {
      renameSync(`${bundle}.away`, bundle);
    }
  });

  it(`runs ${QUEUED} queued threads, ${LIMIT} at once, each to its end, through ${KILLS} kills of host and runners`, {
    timeout: 120_000 + QUEUED * 1_000 + KILLS * 10_000,
  }, async () => {
    limit({ threads: LIMIT });
    const cwd = place("crowd");
    const engine = await openEngine({ root: cli.root, packagesBase: import.meta.url });
    const ids: string[] = [];
    for (let n = 0; n < QUEUED; n += 1) {
      // One thread runs until the last kill, so there is always something to kill.
      const prompt = JSON.stringify({ sleepMs: 20, ...(n === 0 ? { gate: "open" } : {}) });
      const started = await startThread(engine, {
        ...{ workflow: "crowd", prompt, cwd, startKey: null },
        ...{ limits: null, run: { queue: { notBefore: null } } },
      });
      ids.push(unwrap(started).threadId);
    }
    const remaining = async (): Promise<number> =>
      (await engine.store.list({})).filter(
        (each) => ids.includes(each.threadId) && !isFinished(each),
      ).length;
    let atOnce = 0;
    const look = async (): Promise<void> => {
      const owned = await engine.store.list({ withLease: true });
      const valid = owned.filter((each) => (leaseOf(each)?.expiresAt ?? 0) > Date.now());
      atOnce = Math.max(atOnce, valid.length);
    };
    await host.up();
    let runnersKilled = 0;
    for (let kills = 0; kills < KILLS; kills += 1) {
      for (let looks = Math.random() * 20; looks > 0; looks -= 1) {
        await look();
        await sleep(10);
      }
      const owner = (await engine.store.list({ withLease: true }))
        .map(leaseOf)
        .find((each) => each);
      // A version whose worker ends three times in a row rests, on purpose.
      if (owner != null && runnersKilled < 2 && Math.random() < 0.6) {
        runnersKilled += 1;
        kill(owner.process.pid);
        continue;
      }
      runnersKilled = 0;
      await host.kill();
      // Meanwhile a person resumes one in a separate runner.
      const [queued] = await engine.dispatch.list();
      if (queued !== undefined) await cli.run(["thread", "resume", queued.threadId]);
      await host.up();
    }
    open(cwd);
    while ((await remaining()) > 0) {
      await look();
      await sleep(20);
    }
    const threads = (await engine.store.list({})).filter(({ threadId }) => ids.includes(threadId));
    expect(new Set(threads.map(({ status }) => status))).toEqual(new Set(["completed"]));
    expect(new Set(threads.map(({ stepCount }) => stepCount))).toEqual(new Set([3]));
    expect(Math.max(...lines(cwd, "crowd").map(Number))).toBeLessThanOrEqual(LIMIT);
    expect(atOnce).toBeLessThanOrEqual(LIMIT);
    expect(lines(cwd, "began").length).toBeGreaterThanOrEqual(3 * QUEUED);
    await engine.store.close();
    for (const threadId of ids.slice(0, 3))
      expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });
});

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has just ended on its own.
  }
}
