/** A thread that asks a person, and continues with the answer. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { untilThread } from "./until-thread.test.helper.ts";

type Shown = {
  status: string;
  suspended: { role: string; message: string } | null;
  steps: { role: string; route: { from: string; condition: string; prompt: string | null } }[];
};

let cli: Cli;
let threadId = "";
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
});
beforeEach(async () => {
  const prompt = JSON.stringify({ steps: 3, suspendAt: 1 });
  ({ threadId } = await cli.json<{ threadId: string }>(["run", "steps", "--prompt", prompt]));
  await until("suspended");
});
afterAll(() => cli.close());

describe("a suspended thread", () => {
  it("shows its question, has no runner, and is found by its status", async () => {
    expect(await show()).toMatchObject({
      suspended: { role: "worker", message: "Go on after step 1?" },
    });
    const question = { threadId, suspended: { role: "worker", message: "Go on after step 1?" } };
    const ps = await cli.json<{ waiting: object[] }>(["thread", "ps"]);
    expect(ps).toMatchObject({ threads: [] });
    expect(ps.waiting[0]).toMatchObject(question);
    const inbox = ["thread", "list", "--status", "suspended"];
    const { threads } = await cli.json<{ threads: object[] }>(inbox);
    expect(threads[0]).toMatchObject(question);
    for (const args of [inbox, ["thread", "ps"], ["thread", "show", threadId]]) {
      const { stdout } = await cli.run(args);
      expect(stdout).toContain("worker asks: Go on after step 1?");
      expect(stdout).toContain(`uncaged-workflow thread resume ${threadId} -p <answer>`);
    }
    expect(await cli.fails(["thread", "resume", threadId])).toMatchObject({
      exit: 3,
      code: "TRANSITION_INVALID",
    });
  });

  it("runs the role that asked again, with the answer as its prompt, and records it in the chain", async () => {
    await cli.json(["thread", "resume", threadId, "-p", "yes, go on"]);
    await until("completed");
    const { steps, suspended } = await show();
    expect(suspended).toBeNull();
    expect(steps.map(({ role }) => role)).toEqual(["worker", "worker", "worker", "checker"]);
    expect(steps[1]?.route).toMatchObject({
      from: "worker",
      condition: "ANSWER",
      prompt: "yes, go on",
    });
    expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it("keeps an answer whose step was killed before it was done", async () => {
    await cli.json(["thread", "stop", threadId]);
    await cli.json(["thread", "resume", threadId, "-p", "keep this"]);
    await cli.run(["thread", "stop", threadId]);
    const shown = await show();
    if (shown.status === "idle") await cli.json(["thread", "resume", threadId]);
    await until("completed");
    expect((await show()).steps[1]?.route).toMatchObject({
      condition: "ANSWER",
      prompt: "keep this",
    });
    expect(readFileSync(join(cli.dir, "began"), "utf8")).not.toBe("");
  });

  it("loses its question to a poke", async () => {
    expect(await cli.json(["thread", "poke", threadId, "-p", "again"])).toMatchObject({
      status: "idle",
    });
    expect((await show()).suspended).toBeNull();
  });
});

it("an answer to a thread without a question is refused", async () => {
  await cli.json(["thread", "resume", threadId, "-p", "yes"]);
  await until("completed");
  const prompt = JSON.stringify({ steps: 3 });
  const idle = await cli.json<{ threadId: string }>(["run", "steps", "--idle", "--prompt", prompt]);
  expect(await cli.fails(["thread", "resume", idle.threadId, "-p", "yes"])).toMatchObject({
    exit: 3,
    message: expect.stringContaining("did not ask a question"),
  });
});

async function show(): Promise<Shown> {
  return cli.json(["thread", "show", threadId]);
}

async function until(status: string): Promise<void> {
  await untilThread(cli.root, threadId, (thread) => thread.status === status);
}
