/** Several agents from one state, and the step at which a thread went wrong. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BIN, type Cli, openCli } from "./cli.test.helper.ts";
import { untilThreads } from "./until-thread.test.helper.ts";

type Race = {
  forkedFrom: { threadId: string; stateHash: string };
  contenders: {
    agent: string;
    threadId: string;
    status: string;
    returnCode: number | null;
    steps: number;
    last: { role: string; outcome: string; meta: Record<string, unknown> } | null;
    usage: { inputTokens: number; costUsd: number | null } | null;
    durationMs: number;
  }[];
};

/** Plays the steps workflow as it is told: slowly, or failing. */
const PACKAGE = `
import { setTimeout as sleep } from "node:timers/promises";
export const agent = {
  name: "racer",
  create: ({ sleepMs = 0, breaks = false }) => (_prompt, schema) => async (ctx, { step, signal }) => {
    await sleep(sleepMs, undefined, { signal });
    if (breaks) throw new Error("the racer broke");
    const n = ctx.steps.length + 1;
    const meta = schema.parse(step.role === "worker" ? { step: n, left: 4 - n, ask: false } : { ok: true });
    const run = {
      agent: { name: "racer", version: "1.0.0" }, session: null, prompt: null, startedAt: 1, completedAt: 2,
      usage: { inputTokens: 100, outputTokens: 0, cachedInputTokens: 0, costUsd: 0.01 }, cwd: step.cwd, evidence: [],
    };
    return { meta, childThread: null, run };
  },
  probe: async () => ({ path: null, version: "1.0.0", installed: true, login: "ok", features: [], fix: null }),
};
`;

let cli: Cli;
let threadId = "";
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  const folder = join(cli.root, "node_modules", "racer-agent");
  mkdirSync(folder, { recursive: true });
  const manifest = {
    name: "racer-agent",
    version: "1.0.0",
    type: "module",
    exports: "./index.js",
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "index.js"), PACKAGE);
  const registry = join(cli.root, "workflow.yaml");
  writeFileSync(
    registry,
    `config:
  agents:
    quick: { package: racer-agent }
    slow: { package: racer-agent, options: { sleepMs: 200 } }
    steady: { package: racer-agent, options: { sleepMs: 6000 } }
    heavy: { package: racer-agent, options: { sleepMs: 6000 } }
    asleep: { package: racer-agent, options: { sleepMs: 600000 } }
    broken: { package: racer-agent, options: { breaks: true } }
${readFileSync(registry)}`,
  );
  const prompt = JSON.stringify({ steps: 4 });
  ({ threadId } = await cli.json<{ threadId: string }>([
    "run",
    "steps",
    "--prompt",
    prompt,
    "--idle",
  ]));
  await cli.json(["thread", "exec", threadId, "--count", "2"]);
});
afterAll(() => cli.close());

const running = async (): Promise<string[]> =>
  (await cli.json<{ threads: { threadId: string }[] }>(["thread", "ps"])).threads.map(
    (thread) => thread.threadId,
  );
/** The two running threads, without those that existed before. */
const contendersBeside = (before: readonly string[]): Promise<string[]> =>
  untilThreads(cli.root, (all) => {
    const fresh = all.filter(
      (each) => each.status === "running" && !before.includes(each.threadId),
    );
    return fresh.length === 2 ? fresh.map((each) => each.threadId) : null;
  });
const threads = async (): Promise<string[]> =>
  (await cli.json<{ threads: { threadId: string }[] }>(["thread", "list"])).threads.map(
    (thread) => thread.threadId,
  );

describe("a race", () => {
  it("shows what each agent made of the same state, at what cost and in what time", async () => {
    const raced = await cli.json<Race>([
      "thread",
      "race",
      threadId,
      "--from-step",
      "1",
      "--agent",
      "quick",
      "--agent",
      "slow",
      "--agent",
      "broken",
    ]);
    expect(raced.forkedFrom.threadId).toBe(threadId);
    expect(raced.contenders).toMatchObject([
      { agent: "quick", status: "completed", returnCode: 0, steps: 4 },
      { agent: "slow", status: "completed", returnCode: 0, steps: 4 },
      { agent: "broken", status: "failed", returnCode: 1, steps: 0, last: null, usage: null },
    ]);
    const [quick, slow] = raced.contenders;
    expect(quick).toMatchObject({
      last: { role: "checker", outcome: "ok", meta: { ok: true } },
      usage: { inputTokens: 400, costUsd: 0.04 },
    });
    expect(slow?.durationMs).toBeGreaterThan(800);
    for (const contender of raced.contenders) {
      expect(await cli.json(["thread", "verify", contender.threadId])).toMatchObject({ ok: true });
    }
    const old = await cli.json<{ stepCount?: number; steps: unknown[]; status: string }>([
      "thread",
      "show",
      threadId,
    ]);
    expect(old).toMatchObject({ status: "idle" });
    expect(old.steps).toHaveLength(2);
  });

  it("prints one table for people", async () => {
    const args = ["thread", "race", threadId, "--agent", "quick", "--agent", "broken"];
    const { code, stdout } = await cli.run(args);
    expect(code).toBe(0);
    const [head = "", quick = "", broken = ""] = stdout.split("\n");
    expect(head.split(/\s{2,}/u)).toEqual([
      "AGENT",
      "STATUS",
      "STEPS",
      "TIME",
      "TOKENS",
      "COST",
      "THREAD",
      "LAST STEP",
    ]);
    expect(quick).toMatch(/^quick {3}completed {6}3 .*300 {2}\$0\.0300/u);
    expect(broken).toMatch(/^broken {2}failed .* – +– .*the racer broke$/u);
  });

  it("is bounded like any other thread", async () => {
    const bounds = ["--max-steps", "3"];
    const { contenders } = await cli.json<Race>([
      "thread",
      "race",
      threadId,
      "--agent",
      "quick",
      "--agent",
      "slow",
      ...bounds,
    ]);
    expect(contenders).toMatchObject([
      { status: "suspended", steps: 1 },
      { status: "suspended", steps: 1 },
    ]);
  });

  it("stops every contender on Ctrl-C, ready to be resumed", async () => {
    const before = await threads();
    const args = ["--json", "thread", "race", threadId, "--agent", "asleep", "--agent", "heavy"];
    const env = { PATH: process.env.PATH, HOME: cli.dir, WORKFLOW_STORAGE_ROOT: cli.root };
    const racing = spawn(process.execPath, [BIN, ...args], { cwd: cli.dir, env });
    const said: Buffer[] = [];
    racing.stdout.on("data", (chunk: Buffer) => said.push(chunk));
    const ended = once(racing, "close");
    await contendersBeside(before);
    racing.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
    expect(await running()).toEqual([]);
    const { contenders }: Race = JSON.parse(Buffer.concat(said).toString());
    expect(contenders[0]).toMatchObject({ agent: "asleep", status: "idle", steps: 0 });
  });

  it("ends when its contenders stop at a gate that somebody closed", async () => {
    const before = await threads();
    const args = ["--json", "thread", "race", threadId, "--agent", "steady", "--agent", "heavy"];
    const env = { PATH: process.env.PATH, HOME: cli.dir, WORKFLOW_STORAGE_ROOT: cli.root };
    const racing = spawn(process.execPath, [BIN, ...args], { cwd: cli.dir, env });
    const said: Buffer[] = [];
    racing.stdout.on("data", (chunk: Buffer) => said.push(chunk));
    const ended = once(racing, "close", { signal: AbortSignal.timeout(30_000) });
    try {
      const contending = await contendersBeside(before);
      await Promise.all(contending.map((id) => cli.json(["thread", "pause", id])));
      expect(await ended).toEqual([0, null]);
      const { contenders }: Race = JSON.parse(Buffer.concat(said).toString());
      expect(contenders).toMatchObject([
        { agent: "steady", status: "paused" },
        { agent: "heavy", status: "paused" },
      ]);
    } finally {
      racing.kill("SIGKILL");
    }
  });

  it.each([
    [["--agent", "quick"], 2, "USAGE"],
    [["--agent", "quick", "--agent", "quick"], 2, "USAGE"],
    [["--agent", "quick", "--agent", "nobody"], 2, "AGENT_NOT_FOUND"],
    [["--agent", "quick", "--agent", "slow", "--from-step", "9"], 2, "USAGE"],
  ])("is refused before anything starts: %j", async (more, exit, code) => {
    const before = await threads();
    expect(await cli.fails(["thread", "race", threadId, ...more])).toMatchObject({ exit, code });
    expect(await threads()).toEqual(before);
  });
});

describe("a bisection", () => {
  const judge = (source: string): string[] => ["--", process.execPath, "-e", source];
  const BAD_FROM_2 = `
    const step = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    if (step.content !== "step " + step.round) process.exit(99);
    if (process.env.UNCAGED_BISECT_STEP !== String(step.round)) process.exit(99);
    process.exit(step.meta.step < 2 ? 0 : 1);`;

  it("runs the command for few steps and names the first bad one", async () => {
    const found = await cli.json(["thread", "bisect", threadId, ...judge(BAD_FROM_2)]);
    expect(found).toMatchObject({
      threadId,
      firstBad: { round: 2, role: "worker", meta: { step: 2 } },
      undecided: [],
      asked: 1,
      candidates: 2,
    });
    const { stdout, stderr } = await cli.run(["thread", "bisect", threadId, ...judge(BAD_FROM_2)]);
    expect(stdout).toContain("#2 worker is the first bad step");
    expect(stdout).toContain(`thread fork ${threadId} --from-step 1`);
    expect(stderr).toContain("#1 worker: good (exit 0)");
  });

  it("passes the command's arguments on unchanged, even those that look like our options", async () => {
    const args = [
      "--",
      process.execPath,
      "-e",
      "process.exit(process.argv[1] === '--json' ? 0 : 9)",
      "--",
    ];
    const found = await cli.run(["thread", "bisect", threadId, ...args, "--json"]);
    expect(found.code).toBe(0);
    expect(found.stderr).toContain("good");
    expect(found.stdout).toContain("is the first bad step");
  });

  it.each([
    [["bisect"], 2, "USAGE"],
    [["bisect", "ID"], 2, "USAGE"],
    [["bisect", "ID", "--"], 2, "USAGE"],
    [["bisect", "ID", "ID", "--", "true"], 2, "USAGE"],
    [["bisect", "ID", "--", "no-such-program-here"], 1, "AGENT_FAILED"],
  ])("is refused: %j", async (words, exit, code) => {
    const args = words.map((word) => (word === "ID" ? threadId : word));
    expect(await cli.fails(["thread", ...args])).toMatchObject({ exit, code });
  });
});
