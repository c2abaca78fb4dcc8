/** Reading a thread page by page, replacing its last step, comparing two threads. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { untilThread } from "./until-thread.test.helper.ts";

type Shown = {
  status: string;
  head: string;
  steps: { meta: object; stateHash: string; route: object }[];
};

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
});
afterAll(() => cli.close());

async function threadOf(prompt: object, count: number): Promise<string> {
  const { threadId } = await cli.here<{ threadId: string }>([
    ...["thread", "run", "steps", "--idle", "--prompt", JSON.stringify(prompt)],
  ]);
  if (count > 0) await cli.json(["thread", "exec", threadId, "--count", String(count)]);
  return threadId;
}

/** Two threads that ended after one step. */
async function failing(threadId: string): Promise<string> {
  await cli.run(["thread", "exec", threadId]);
  expect((await show(threadId)).status).toBe("failed");
  return threadId;
}

async function killed(threadId: string): Promise<string> {
  await cli.json(["thread", "kill", threadId]);
  expect((await show(threadId)).status).toBe("aborted");
  return threadId;
}

async function show(threadId: string): Promise<Shown> {
  return cli.here(["thread", "show", threadId]);
}

describe("thread context", () => {
  it("shows the first message and the last ones, with a hint for loading those between", async () => {
    const threadId = await threadOf({ steps: 20, says: "x".repeat(300) }, 12);
    const overview = await cli.run(["thread", "context", threadId, "--budget", "1500"]);
    expect(overview.stdout).toMatch(/^\[#0 start\] \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n {2}/);
    expect(overview.stdout).toMatch(/^\[#1 worker\] \S{20}\n---\n/m);
    const [, omitted, before = ""] =
      /\.\.\. (\d+) messages omitted \(use --before (\d+) to load\) \.\.\./.exec(overview.stdout) ??
      [];
    expect(Number(omitted)).toBe(Number(before) - 2);
    const page = await cli.json<{ messages: { round: number }[] }>([
      "thread",
      "read",
      threadId,
      "--before",
      before,
    ]);
    expect(page.messages.map(({ round }) => round)).toEqual(
      Array.from({ length: Number(before) - 2 }, (_unused, index) => index + 2),
    );
  });
});

describe("thread poke", () => {
  it("replaces the last step with another one that has the same parent", async () => {
    const threadId = await threadOf({ steps: 5 }, 2);
    const before = await show(threadId);
    const poked = await cli.json<{ head: string }>(["thread", "poke", threadId, "-p", "once more"]);
    expect(poked).toMatchObject({ threadId, previousHead: before.head, status: "idle" });
    const after = await show(threadId);
    expect(after.head).toBe(poked.head);
    expect(after.steps.map(({ stateHash }) => stateHash)).toEqual([
      before.steps[0]?.stateHash,
      poked.head,
    ]);
    expect(after.steps[1]?.route).toMatchObject({ condition: "more", prompt: "once more" });
    expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it("opens the gate of a paused thread", async () => {
    const threadId = await threadOf({ steps: 5 }, 2);
    await cli.json(["thread", "pause", threadId]);
    const poked = await cli.json(["thread", "poke", threadId, "-p", "once more"]);
    expect(poked).toMatchObject({ status: "idle" });
    const next = await cli.json(["thread", "exec", threadId]);
    expect(next).toMatchObject({ status: "idle", steps: [{ round: 3 }] });
  });

  it("stops at a gate that is closed meanwhile", async () => {
    const threadId = await threadOf({ steps: 5, gate: "poke" }, 0);
    writeFileSync(join(cli.dir, "poke-1"), "");
    await cli.json(["thread", "exec", threadId]);
    rmSync(join(cli.dir, "poke-1"));
    const poke = cli.json(["thread", "poke", threadId, "-p", "once more"]);
    await untilThread(cli.root, threadId, ({ status }) => status === "running");
    await cli.json(["thread", "pause", threadId]);
    writeFileSync(join(cli.dir, "poke-1"), "");
    expect(await poke).toMatchObject({ status: "paused" });
    expect((await show(threadId)).status).toBe("paused");
  });

  it("leaves the head unchanged when the agent fails", async () => {
    const threadId = await threadOf({ steps: 5, failOn: "break" }, 2);
    const before = await show(threadId);
    const failure = await cli.fails(["thread", "poke", threadId, "-p", "break"]);
    expect(failure).toMatchObject({
      exit: 1,
      message: expect.stringContaining("the worker broke"),
    });
    expect(await show(threadId)).toEqual(before);
  });

  it.each([
    [
      "an unknown thread",
      async () => "01KAJ2Z6PVX0000000000000ZZ",
      "x",
      { exit: 1, code: "THREAD_NOT_FOUND" },
    ],
    [
      "a thread without a step",
      () => threadOf({ steps: 5 }, 0),
      "x",
      { exit: 3, code: "TRANSITION_INVALID" },
    ],
    [
      "a finished thread",
      () => threadOf({ steps: 1 }, 2),
      "x",
      { exit: 3, code: "TRANSITION_INVALID" },
    ],
    [
      "a failed thread",
      () => threadOf({ steps: 5, failAt: 2 }, 1).then(failing),
      "x",
      { exit: 3, code: "TRANSITION_INVALID" },
    ],
    [
      "an aborted thread",
      () => threadOf({ steps: 5 }, 1).then(killed),
      "x",
      { exit: 3, code: "TRANSITION_INVALID" },
    ],
    ["an empty prompt", () => threadOf({ steps: 5 }, 1), " ", { exit: 2, code: "USAGE" }],
  ])("refuses %s, and changes nothing", async (_name, make, prompt, failure) => {
    const threadId = await make();
    const before = failure.exit === 1 ? null : await show(threadId);
    expect(await cli.fails(["thread", "poke", threadId, "-p", prompt])).toMatchObject(failure);
    if (before !== null) expect(await show(threadId)).toEqual(before);
  });

  it("runs in the directory of the step that it replaces, from wherever it is called", async () => {
    const cwd = join(cli.dir, "elsewhere");
    mkdirSync(cwd);
    const { threadId } = await cli.json<{ threadId: string }>([
      ...["thread", "run", "steps", "--idle", "--cwd", cwd, "--prompt", "{}"],
    ]);
    await cli.json(["thread", "exec", threadId]);
    await cli.json(["thread", "poke", threadId, "-p", "again"]);
    expect(readFileSync(join(cwd, "began"), "utf8")).toBe("1\n1\n");
  });

  it("refuses a running thread, which continues", async () => {
    const prompt = JSON.stringify({ gate: "closed" });
    const { threadId } = await cli.json<{ threadId: string }>([
      "thread",
      "run",
      "steps",
      "--prompt",
      prompt,
    ]);
    expect(await cli.fails(["thread", "poke", threadId, "-p", "x"])).toMatchObject({
      exit: 6,
      code: "LEASE_HELD",
    });
    const { status, steps } = await show(threadId);
    expect(status).toBe("running");
    expect(steps.every(({ route }) => !("promptFrom" in route))).toBe(true);
    await cli.json(["thread", "kill", threadId]);
  });
});

describe("thread diff", () => {
  it("names the step at which a thread and its fork diverge", async () => {
    const a = await threadOf({ steps: 5 }, 3);
    const { threadId: b } = await cli.json<{ threadId: string }>([
      "thread",
      "fork",
      a,
      "--from-step",
      "2",
      "--idle",
    ]);
    await cli.json(["thread", "exec", b, "--count", "2"]);
    const diff = await cli.json<{ partsAt: number; rounds: { relation: string }[] }>([
      "thread",
      "diff",
      a,
      b,
    ]);
    expect(diff.rounds.map(({ relation }) => relation)).toEqual([
      "shared",
      "shared",
      "equal",
      "differs",
    ]);
    expect(diff.partsAt).toBe(4);
    expect((await cli.run(["thread", "diff", a, b])).stdout).toContain("they diverge at step 4");
  });

  it("names the fields in which metas differ", async () => {
    const [a, b] = [await threadOf({ steps: 5 }, 1), await threadOf({ steps: 6 }, 1)];
    const { rounds } = await cli.json<{ rounds: { changes: object[] }[] }>([
      "thread",
      "diff",
      a,
      b,
    ]);
    expect(rounds[0]?.changes).toEqual([{ path: "left", a: 4, b: 5 }]);
  });
});
