/** A workflow as an agent: a step runs another workflow as a child thread. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { killHard } from "./kill-hard.test.helper.ts";
import { ownerOf, rests, untilThread, untilThreads } from "./until-thread.test.helper.ts";

type Shown = {
  status: string;
  head: string;
  start: { prompt: string; depth: number; parentState: string | null };
  steps: {
    role: string;
    childThread: string | null;
    meta: Record<string, unknown>;
    stateHash: string;
  }[];
  result: { returnCode: number; summary: string } | null;
};
type Listed = {
  threads: { threadId: string; workflow: string; status: string; stepCount: number }[];
};

/** One plain step, then a child thread of the workflow that the prompt names, with the rest of the prompt. */
const PARENT = `
import { buildDescriptor, createWorkflow, END, START, workflowAsAgent } from "@uncaged/workflow-runtime";
import { z } from "zod";
const role = (description) => ({ description, systemPrompt: "", schema: z.looseObject({}), extractRefs: null });
const definition = {
  description: "hands its work to a child",
  roles: { opener: role("begins"), delegate: role("runs a child") },
  table: {
    [START]: [{ condition: "FALLBACK", role: "opener" }],
    opener: [{ condition: "FALLBACK", role: "delegate" }],
    delegate: [{ condition: "FALLBACK", role: END }],
  },
};
const of = (ctx) => JSON.parse(ctx.start.content);
const opener = () => async () => ({ meta: { opened: true }, childThread: null });
const delegate = (prompt, schema) => async (ctx, runtime) => {
  const child = workflowAsAgent(of(ctx).child, { prompt: () => JSON.stringify(of(ctx).task) });
  return child(prompt, schema)(ctx, runtime);
};
export const run = createWorkflow(definition, { adapter: opener, overrides: { delegate } });
export const descriptor = buildDescriptor(definition);
`;

/** A person approves. */
const APPROVAL = `
description: A person approves.
roles:
  approver:
    by: person
    goal: Decide whether it is good.
    output: { type: object, properties: { status: { enum: [approved] } }, required: [status] }
graph:
  $START: { new: { role: approver, prompt: "Is this good?" } }
  approver: { approved: $END }
`;

/** A child for each task of the prompt, side by side, each by way of a workflow between. */
const SEVERAL = `
import { buildDescriptor, createWorkflow, END, START, workflowAsAgent } from "@uncaged/workflow-runtime";
import { z } from "zod";
const member = { description: "", systemPrompt: "", schema: z.looseObject({}), extractRefs: null };
const group = { name: "tasks", each: "[0..2]", as: "at", role: "member", prompt: "{{ at }}", atOnce: 3, join: JOIN };
const definition = {
  description: "hands its work to several children",
  roles: { member },
  table: {
    [START]: [{ condition: "FALLBACK", group }],
    member: [],
    tasks: [{ condition: "FALLBACK", role: END }],
  },
};
const task = (ctx, { step }) => JSON.stringify({ child: "steps", task: JSON.parse(ctx.start.content)[step.route.prompt] });
export const run = createWorkflow(definition, { adapter: workflowAsAgent("parent", { prompt: task }), overrides: null });
export const descriptor = buildDescriptor(definition);
`;

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  const source = join(cli.dir, "flow", "parent.mjs");
  writeFileSync(source, PARENT);
  const { file } = await cli.json<{ file: string }>(["workflow", "build", source]);
  await cli.json(["workflow", "add", "parent", file]);
  for (const join of ["all", "any"]) await addSeveral(join);
});
afterAll(() => cli.close());

describe("a child thread", () => {
  it("is linked both ways, one deeper, and returns its outcome to the step", async () => {
    const threadId = await start("linked", { child: "steps", task: { steps: 2 } });
    const parent = await untilRest(threadId);
    expect(parent).toMatchObject({ status: "completed", start: { depth: 0, parentState: null } });
    const childThread = parent.steps[1]?.childThread ?? "";
    const child = await show(childThread);
    expect(child).toMatchObject({
      status: "completed",
      start: { depth: 1, parentState: parent.steps[0]?.stateHash },
    });
    for (const id of [threadId, childThread]) {
      expect(await cli.here(["thread", "verify", id])).toMatchObject({ ok: true });
    }
  });

  it("is continued, not started again, when the parent's runner was killed", async () => {
    const task = { steps: 6, gate: "open" };
    const threadId = await start("killed", { child: "steps", task });
    const child = await runningChild();
    await killHard(await ownerOf(cli.root, threadId));
    await cli.json(["thread", "resume", threadId]);
    for (let step = 1; step <= task.steps; step += 1) {
      writeFileSync(join(cli.dir, "work", "killed", `open-${step}`), "");
    }
    const parent = await untilRest(threadId);
    expect(parent).toMatchObject({ status: "completed" });
    expect(parent.steps[1]?.childThread).toBe(child);
    expect(begun("killed")).toEqual(["1", "2", "3", "4", "5", "6"]);
  });

  it("is killed with its parent, and stopped with it", async () => {
    // Its gate never opens, so neither thread ends before it is stopped.
    const stopped = await start("stopped", { child: "steps", task: { gate: "closed" } });
    const child = await runningChild();
    await cli.json(["thread", "stop", stopped]);
    expect([await statusOf(stopped), await statusOf(child)]).toEqual(["idle", "idle"]);
    await cli.json(["thread", "resume", stopped]);
    expect(await runningChild()).toBe(child);
    await cli.json(["thread", "kill", stopped]);
    expect([await statusOf(stopped), await statusOf(child)]).toEqual(["aborted", "aborted"]);
  });

  it("is continued when the runner of a group was killed, and no step runs twice", async () => {
    const tasks = ["a", "b", "c"].map((gate) => ({ steps: 2, gate }));
    const threadId = await start("several", tasks, "several-all");
    await untilRunning(tasks.length);
    await killHard(await ownerOf(cli.root, threadId));
    await cli.json(["thread", "resume", threadId]);
    for (const { gate } of tasks)
      for (const step of [1, 2])
        writeFileSync(join(cli.dir, "work", "several", `${gate}-${step}`), "");
    const parent = await untilRest(threadId);
    expect(parent).toMatchObject({ status: "completed" });
    expect(new Set(parent.steps.map(({ childThread }) => childThread)).size).toBe(3);
    expect(begun("several").toSorted()).toEqual(["1", "1", "1", "2", "2", "2"]);
    expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it("is killed, with its own children, when its group joins without it", async () => {
    const tasks = [{ steps: 1, gate: "first" }, { gate: "never" }, { gate: "never" }];
    const threadId = await start("raced", tasks, "several-any");
    const running = await untilRunning(tasks.length);
    writeFileSync(join(cli.dir, "work", "raced", "first-1"), "");
    expect(await untilRest(threadId)).toMatchObject({ status: "completed" });
    const ends = await Promise.all(running.map((child) => untilRest(child)));
    expect(ends.map(({ status }) => status).toSorted()).toEqual([
      "aborted",
      "aborted",
      "completed",
    ]);
    await untilThreads(cli.root, (threads) => (threads.every(rests) ? threads : null));
    expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it("is a new one for a poke, and gets the person's words", async () => {
    const source = join(cli.dir, "flow", "asking.mjs");
    const asking = PARENT.replace("END, START", "START, SUSPEND")
      .replace("role: END", 'role: SUSPEND, prompt: "Good?"')
      .replace(", { prompt: () => JSON.stringify(of(ctx).task) }", "");
    writeFileSync(source, asking);
    const { file } = await cli.json<{ file: string }>(["workflow", "build", source]);
    await cli.json(["workflow", "add", "asking", file]);
    const prompt = JSON.stringify({ child: "steps", steps: 2 });
    const ran = await cli.run(["--json", "thread", "run", "asking", "--wait", "--prompt", prompt]);
    const { threadId }: { threadId: string } = JSON.parse(ran.stdout);
    const first = childOf(await show(threadId));
    const said = ['{"steps":1}', '{"steps":3}'];
    const children = [first];
    for (const words of said) {
      await cli.json(["thread", "poke", threadId, "--prompt", words]);
      children.push(childOf(await show(threadId)));
    }
    expect(new Set(children).size).toBe(3);
    const prompts = await Promise.all(
      children.map(async (child) => (await show(child ?? "")).start.prompt),
    );
    expect(prompts).toEqual([prompt, ...said]);
    expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it("may wait for a person, while its parent waits for it", async () => {
    writeFileSync(join(cli.dir, "approval.yaml"), APPROVAL);
    await cli.json(["workflow", "add", "approval", "approval.yaml"]);
    const parent = await start("approved", { child: "approval", task: { steps: 1 } });
    const child = await untilThreads(
      cli.root,
      (threads) => threads.find(({ status }) => status === "suspended") ?? null,
    );
    const { threads } = await cli.json<Listed>(["inbox"]);
    expect(threads).toMatchObject([{ threadId: child.threadId, workflow: "approval" }]);
    expect(await statusOf(parent)).toBe("running");
    await cli.json(["answer", child.threadId, "status=approved"]);
    const ended = await untilRest(parent);
    expect(ended).toMatchObject({ status: "completed" });
    expect(ended.steps[1]).toMatchObject({ childThread: child.threadId });
    expect(await cli.here(["thread", "verify", parent])).toMatchObject({ ok: true });
  });

  it("that fails is an outcome of the step, not the end of the parent", async () => {
    const threadId = await start("failing", { child: "steps", task: { steps: 2, failAt: 1 } });
    const parent = await untilRest(threadId);
    expect(parent).toMatchObject({ status: "completed" });
    expect(parent.steps[1]?.meta).toMatchObject({ returnCode: 1 });
    const child = await show(parent.steps[1]?.childThread ?? "");
    expect(child.result?.summary).toContain("the worker broke at step 1");
  });

  it("that starts itself is stopped at maxDepth, and the reason is recorded", async () => {
    const nest = (levels: number): object =>
      levels === 0 ? { child: "steps", task: {} } : { child: "parent", task: nest(levels - 1) };
    const threadId = await start("nested", nest(6));
    let [deepest, depth] = [await untilRest(threadId), 0];
    for (let child = childOf(deepest); child !== null; child = childOf(deepest)) {
      [deepest, depth] = [await show(child), depth + 1];
    }
    expect(depth).toBe(3);
    expect(deepest).toMatchObject({ status: "failed", start: { depth: 3 } });
    expect(deepest.result?.summary).toContain("MAX_DEPTH");
  });

  it("started by an agent with the command counts as one too, down to maxDepth", async () => {
    const { threadId } = await cli.json<{ threadId: string }>(run());
    let inside = threadId;
    for (const depth of [1, 2, 3]) {
      const env = { UNCAGED_RUN_MARK: `${inside}:1:tool` };
      ({ threadId: inside } = await cli.json<{ threadId: string }>(run(), { env }));
      expect(await show(inside)).toMatchObject({ start: { depth, parentState: null } });
    }
    const count = async () => (await cli.json<Listed>(["thread", "list"])).threads.length;
    const before = await count();
    const env = { UNCAGED_RUN_MARK: `${inside}:1:tool` };
    const { code, stderr } = await cli.run(run(), { env });
    expect(code).toBe(1);
    expect(stderr).toContain("MAX_DEPTH");
    expect(await count()).toBe(before);
  });

  it("counts for what an agent plans, too: schedules, triggers, and runs of them by hand", async () => {
    const { threadId } = await cli.json<{ threadId: string }>(run());
    const env = { UNCAGED_RUN_MARK: `${threadId}:1:tool` };
    const start = ["--workflow", "steps", "--prompt", "{}"];
    await cli.json(["schedule", "add", "later", "--every", "9h", ...start], { env });
    await cli.json(["schedule", "add", "persons", "--every", "9h", ...start]);
    const depthOf = async (name: string, more: { env?: Record<string, string> }) => {
      const started = await cli.json<{ threadId: string }>(["schedule", "run", name], more);
      return (await show(started.threadId)).start.depth;
    };
    expect(await depthOf("later", {})).toBe(1);
    expect(await depthOf("persons", {})).toBe(0);
    expect(await depthOf("persons", { env })).toBe(1);
    let deepest = threadId;
    for (const _ of [1, 2, 3]) {
      const inside = { UNCAGED_RUN_MARK: `${deepest}:1:tool` };
      ({ threadId: deepest } = await cli.json<{ threadId: string }>(run(), { env: inside }));
    }
    const tooDeep = { env: { UNCAGED_RUN_MARK: `${deepest}:1:tool` } };
    for (const words of [
      ["schedule", "add", "deeper", "--every", "9h", ...start],
      ["schedule", "run", "persons"],
      ["trigger", "add", "deeper", "--webhook", ...start],
    ])
      expect((await cli.fails(words, tooDeep)).code).toBe("MAX_DEPTH");
  });

  it("does not exist when the tag names no thread of this storage root", async () => {
    for (const mark of ["", "poke-7:1:x", "01KAJ2Z6PVX0000000000000ZZ:1:x"]) {
      const env = { UNCAGED_RUN_MARK: mark };
      const { threadId } = await cli.json<{ threadId: string }>(run(), { env });
      expect(await show(threadId)).toMatchObject({ start: { depth: 0 } });
    }
  });
});

const run = (): string[] => ["thread", "run", "steps", "--idle", "--prompt", "{}"];

async function addSeveral(join: string): Promise<void> {
  const source = `${cli.dir}/flow/several-${join}.mjs`;
  writeFileSync(source, SEVERAL.replace("JOIN", JSON.stringify(join)));
  const { file } = await cli.json<{ file: string }>(["workflow", "build", source]);
  await cli.json(["workflow", "add", `several-${join}`, file]);
}

/** Running threads of `steps`. */
function untilRunning(count: number): Promise<string[]> {
  return untilThreads(cli.root, (threads) => {
    const running = threads.filter(
      ({ workflow, status }) => workflow === "steps" && status === "running",
    );
    return running.length === count ? running.map(({ threadId }) => threadId) : null;
  });
}

async function start(name: string, prompt: object, workflow = "parent"): Promise<string> {
  const folder = join(cli.dir, "work", name);
  mkdirSync(folder, { recursive: true });
  const { threadId } = await cli.json<{ threadId: string }>([
    ...["thread", "run", workflow, "--cwd", folder, "--prompt", JSON.stringify(prompt)],
  ]);
  return threadId;
}

function begun(name: string): string[] {
  return readFileSync(join(cli.dir, "work", name, "began"), "utf8")
    .trim()
    .split("\n");
}

async function show(threadId: string): Promise<Shown> {
  return cli.here(["thread", "show", threadId]);
}

function childOf({ steps }: Shown): string | null {
  return steps[1]?.childThread ?? null;
}

async function statusOf(threadId: string): Promise<string> {
  return (await show(threadId)).status;
}

async function untilRest(threadId: string): Promise<Shown> {
  await untilThread(cli.root, threadId, rests);
  return show(threadId);
}

/** The child thread that is running. */
async function runningChild(): Promise<string> {
  return untilThreads(
    cli.root,
    (threads) =>
      threads.find(({ workflow, status }) => workflow === "steps" && status === "running")
        ?.threadId ?? null,
  );
}
