/** New threads from old ones: what they share, and what a person tells them. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isFinished } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { untilThread } from "./until-thread.test.helper.ts";

type Shown = {
  status: string;
  head: string;
  start: { hash: string; prompt: string };
  suspended: object | null;
  forkedFrom: { threadId: string; stateHash: string } | null;
  steps: {
    role: string;
    meta: { step?: number };
    stateHash: string;
    route: { from: string; condition: string; prompt: string | null; promptFrom?: string };
  }[];
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

const show = (id: string): Promise<Shown> => cli.here<Shown>(["thread", "show", id]);

async function fork(id: string, ...more: string[]): Promise<string> {
  return (await cli.json<{ threadId: string }>(["thread", "fork", id, ...more])).threadId;
}

async function settled(id: string): Promise<Shown> {
  await untilThread(cli.root, id, (thread) => isFinished(thread) || thread.status === "suspended");
  return show(id);
}

describe("thread fork", () => {
  it("shares the steps up to the fork point, adds no blob, and leaves the old thread alone", async () => {
    const old = await threadOf({ steps: 4 }, 3);
    const before = await show(old);
    const blobs = readdirSync(join(cli.root, "cas"));
    const forked = await cli.json<{ threadId: string; head: string; forkedFrom: object }>([
      "thread",
      "fork",
      old,
      "--from-step",
      "2",
      "--idle",
    ]);
    const state = before.steps[1]?.stateHash;
    expect(forked).toMatchObject({ head: state, forkedFrom: { threadId: old, stateHash: state } });
    expect(readdirSync(join(cli.root, "cas"))).toEqual(blobs);
    const made = await show(forked.threadId);
    expect(made).toMatchObject({ status: "idle", start: { hash: before.start.hash } });
    expect(made.steps).toEqual(before.steps.slice(0, 2));
    expect(await show(old)).toEqual(before);
  });

  it("continues in the background from the last step of a role, to the end", async () => {
    const old = await threadOf({ steps: 2 }, 3);
    expect((await show(old)).status).toBe("completed");
    const id = await fork(old, "--from-role", "worker");
    const { status, steps } = await settled(id);
    expect(status).toBe("completed");
    expect(steps.map(({ role }) => role)).toEqual(["worker", "worker", "checker"]);
    expect(await cli.json(["thread", "verify", id])).toMatchObject({ ok: true });
  });

  it("accepts a running thread, which continues undisturbed", async () => {
    const prompt = JSON.stringify({ steps: 9, sleepMs: 30_000 });
    const { threadId: old } = await cli.json<{ threadId: string }>(["run", "steps", "-p", prompt]);
    const id = await fork(old, "--idle");
    expect(await show(id)).toMatchObject({ status: "idle", steps: [], suspended: null });
    expect((await show(old)).status).toBe("running");
    await cli.json(["thread", "kill", old]);
  });

  it.each([
    ["a thread that is not there", ["01KAJ2Z6PVX0000000000000ZZ"], 1, "THREAD_NOT_FOUND"],
    ["a step that it does not have", ["--from-step", "9"], 2, "USAGE"],
    ["a role that it does not have", ["--from-role", "painter"], 2, "USAGE"],
    ["a role and a step at once", ["--from-role", "worker", "--from-step", "1"], 2, "USAGE"],
    ["an empty prompt", ["--prompt", " "], 2, "USAGE"],
    ["a prompt given twice", ["--prompt", "a", "--prompt-file", "b"], 2, "USAGE"],
  ])("refuses %s, and makes no thread", async (_name, args, exit, code) => {
    const old = await threadOf({ steps: 4 }, 1);
    const before = await cli.json(["thread", "list"]);
    const call = args[0]?.startsWith("-") === true ? [old, ...args] : args;
    expect(await cli.fails(["thread", "fork", ...call])).toMatchObject({ exit, code });
    expect(await cli.json(["thread", "list"])).toEqual(before);
  });
});

describe("thread fork --prompt", () => {
  it("tells the next role what a person says in place of the table's prompt, and records who said it", async () => {
    const old = await threadOf({ steps: 3 }, 2);
    const id = await fork(old, "--from-step", "1", "--prompt", "another way", "--idle");
    expect((await show(id)).steps).toHaveLength(1);
    await cli.json(["thread", "exec", id, "--count", "2"]);
    const { steps } = await show(id);
    expect(steps[1]).toMatchObject({
      role: "worker",
      route: { condition: "more", prompt: "another way", promptFrom: "person" },
    });
    expect(steps[2]?.route).toMatchObject({ condition: "more", prompt: null });
    expect(steps[2]?.route.promptFrom).toBeUndefined();
    expect(await cli.json(["thread", "verify", id])).toMatchObject({ ok: true });
  });

  it("keeps the prompt until the step is done, even across an export", async () => {
    const old = await threadOf({ steps: 3 }, 1);
    writeFileSync(join(cli.dir, "prompt.txt"), "from a file");
    const id = await fork(old, "--prompt-file", "prompt.txt", "--idle");
    const file = join(cli.dir, "fork.tar");
    await cli.json(["thread", "export", id, "--out", file]);
    await cli.json(["thread", "rm", id]);
    await cli.json(["thread", "import", file]);
    await cli.json(["thread", "exec", id]);
    expect((await show(id)).steps[1]?.route).toMatchObject({ prompt: "from a file" });
  });

  it("is the answer where the table asks a person", async () => {
    const old = await threadOf({ steps: 3, suspendAt: 1 }, 2);
    expect((await show(old)).status).toBe("suspended");
    const id = await fork(old, "--prompt", "no, not that");
    const { status, steps } = await settled(id);
    expect(status).toBe("completed");
    expect(steps[1]?.route).toMatchObject({ condition: "ANSWER", prompt: "no, not that" });
    expect(await cli.json(["thread", "verify", id])).toMatchObject({ ok: true });
    expect((await show(old)).status).toBe("suspended");
  });

  it("before any step is a new start, which shares nothing", async () => {
    const old = await threadOf({ steps: 3 }, 2);
    const prompt = JSON.stringify({ steps: 1 });
    const id = await fork(old, "--from-step", "0", "--prompt", prompt);
    const [made, before] = [await settled(id), await show(old)];
    expect(made.start.prompt).toBe(prompt);
    expect(made.start.hash).not.toBe(before.start.hash);
    expect(made.forkedFrom).toEqual({ threadId: old, stateHash: before.start.hash });
    expect(made.steps.map(({ role }) => role)).toEqual(["worker", "checker"]);
    expect(await cli.json(["thread", "verify", id])).toMatchObject({ ok: true });
  });

  it("is refused where the table ends the thread", async () => {
    const old = await threadOf({ steps: 1 }, 3);
    const refused = await cli.fails(["thread", "fork", old, "--prompt", "more"]);
    expect(refused).toMatchObject({ exit: 3, code: "TRANSITION_INVALID" });
  });
});
