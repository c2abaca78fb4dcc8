/** The usage of a runner that was killed while its agent worked counts. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { killHard } from "./kill-hard.test.helper.ts";
import { ownerOf, untilThread } from "./until-thread.test.helper.ts";

/** Three members, of whom the first does not hang. */
const SEVERAL = `
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, START, END } from "@uncaged/workflow-runtime";
import { z } from "zod";

const definition = defineWorkflow({
  description: "spends side by side",
  roles: { worker: defineRole({ description: "", systemPrompt: "", schema: z.object({ n: z.number() }), extractRefs: null }) },
  table: {
    [START]: [{ condition: "FALLBACK", group: { name: "work", each: "[1..3]", as: "n", role: "worker", prompt: "{{ n }}", atOnce: 3 } }],
    work: [{ condition: "FALLBACK", role: END }],
    worker: [],
  },
});
const adapter = (_prompt, schema) => async (ctx, runtime) => {
  const { cwd, route } = runtime.step;
  const n = Number(route.prompt);
  const usage = { inputTokens: 100 * n, outputTokens: 0, cachedInputTokens: 0, costUsd: null };
  runtime.emit({ type: "usage", usage });
  appendFileSync(cwd + "/spent", "1");
  while (n > 1 && existsSync(cwd + "/hang")) await sleep(10, undefined, { signal: runtime.signal });
  const run = {
    agent: { name: "spender", version: "1" }, session: null, prompt: null, startedAt: 1, completedAt: 2,
    usage, cwd, evidence: [],
  };
  return { meta: schema.parse({ n }), childThread: null, run };
};
export const run = createWorkflow(definition, { adapter, overrides: null });
export const descriptor = buildDescriptor(definition);
`;

/** Reports its usage, then hangs while the working directory has a file "hang". */
const WORKFLOW = `
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, START, END } from "@uncaged/workflow-runtime";
import { z } from "zod";

const definition = defineWorkflow({
  description: "spends",
  roles: { worker: defineRole({ description: "", systemPrompt: "", schema: z.object({ n: z.number() }), extractRefs: null }) },
  table: {
    [START]: [{ condition: "FALLBACK", role: "worker" }],
    worker: [{ condition: { name: "done", when: "last.meta.n >= 2" }, role: END }, { condition: "FALLBACK", role: "worker" }],
  },
});
const usage = { inputTokens: 100, outputTokens: 0, cachedInputTokens: 0, costUsd: 0.1 };
const adapter = (_prompt, schema) => async (ctx, runtime) => {
  const { cwd } = runtime.step;
  runtime.emit({ type: "usage", usage });
  appendFileSync(cwd + "/spent", "1");
  while (existsSync(cwd + "/hang")) await sleep(10, undefined, { signal: runtime.signal });
  const run = {
    agent: { name: "spender", version: "1" }, session: null, prompt: null, startedAt: 1, completedAt: 2,
    usage, cwd, evidence: [], notes: ["in place of " + (runtime.step.replaced?.completedAt ?? "none")],
  };
  return { meta: schema.parse({ n: ctx.steps.length + 1 }), childThread: null, run };
};
export const run = createWorkflow(definition, { adapter, overrides: null });
export const descriptor = buildDescriptor(definition);
`;

type Shown = {
  status: string;
  head: string;
  suspended: { kind?: string; message: string } | null;
  end: { run: { usage: { inputTokens: number }; notes: string[] } | null } | null;
  unrecorded: { role: string; usage: { inputTokens: number } }[];
  steps: { meta: { n: number }; run: { usage: { inputTokens: number }; notes?: string[] } }[];
};

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  for (const [name, text] of Object.entries({ spending: WORKFLOW, several: SEVERAL })) {
    const file = join(cli.dir, "flow", `${name}.js`);
    writeFileSync(file, text);
    const built = await cli.json<{ file: string }>(["workflow", "build", file]);
    await cli.json(["workflow", "add", name, built.file]);
  }
});
afterAll(() => cli.close());

const attempts = (folder: string): number => {
  try {
    return readFileSync(join(folder, "spent"), "utf8").length;
  } catch {
    return 0;
  }
};

/** Kills the thread's runner as soon as its agent has reported usage once more. */
async function killWhileItWorks(threadId: string, folder: string, before: number): Promise<void> {
  while (attempts(folder) === before) await sleep(20);
  expect(await killHard(await ownerOf(cli.root, threadId))).toBe(true);
}

async function comesTo(threadId: string, status: string): Promise<Shown> {
  await untilThread(cli.root, threadId, (thread) => thread.status === status);
  return cli.json<Shown>(["thread", "show", threadId]);
}

it("a crash loop reaches the token limit, and the next step includes what the attempts used", async () => {
  const folder = join(cli.dir, "work");
  mkdirSync(folder);
  writeFileSync(join(folder, "hang"), "");
  const { threadId } = await cli.json<{ threadId: string }>([
    ...["run", "spending", "--prompt", "go", "--cwd", folder, "--max-tokens", "200"],
  ]);
  await killWhileItWorks(threadId, folder, 0);
  await cli.json(["thread", "resume", threadId]);
  await killWhileItWorks(threadId, folder, 1);
  await cli.json(["thread", "resume", threadId]);
  const waiting = await comesTo(threadId, "suspended");
  expect(waiting.suspended).toMatchObject({ kind: "limit" });
  expect(waiting.suspended?.message).toContain("200 of 200 tokens");
  expect(waiting.steps).toEqual([]);
  expect(attempts(folder)).toBe(2);

  rmSync(join(folder, "hang"));
  await cli.json(["thread", "resume", threadId, "--max-tokens", "1000"]);
  const { steps } = await comesTo(threadId, "completed");
  expect(steps.map(({ run }) => run.usage.inputTokens)).toEqual([300, 100]);
  expect(steps[0]?.run.notes).toEqual(["in place of none", expect.stringContaining("2 attempts")]);
  expect(steps[1]?.run.notes).toEqual(["in place of none"]);
  expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
});

/** A thread whose only attempt has reported its usage and hangs. */
async function hanging(name: string): Promise<{ threadId: string; folder: string }> {
  const folder = join(cli.dir, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "hang"), "");
  const { threadId } = await cli.json<{ threadId: string }>([
    ...["run", "spending", "--prompt", "go", "--cwd", folder],
  ]);
  while (attempts(folder) === 0) await sleep(20);
  return { threadId, folder };
}

it("an attempt's usage is shown before it makes a step, and after it was cut off", async () => {
  const { threadId, folder } = await hanging("shown");
  const used = [{ role: "worker", usage: expect.objectContaining({ inputTokens: 100 }) }];
  expect((await comesTo(threadId, "running")).unrecorded).toEqual(used);
  await killWhileItWorks(threadId, folder, 0);
  const left = await cli.json<Shown>(["thread", "show", threadId]);
  expect(left).toMatchObject({ status: "idle", unrecorded: used });
  const { stdout } = await cli.run(["thread", "show", threadId]);
  expect(stdout).toMatch(/agents .*100 tokens {2}\$0\.1000/);

  // It has no runner: `kill` itself writes its end.
  await cli.json(["thread", "kill", threadId]);
  const { end, unrecorded } = await comesTo(threadId, "aborted");
  expect(end?.run).toMatchObject({ usage: { inputTokens: 100 } });
  expect(end?.run?.notes).toEqual([expect.stringContaining("an attempt")]);
  expect(unrecorded).toEqual([]);
});

it("the end of a killed thread includes what the running attempt had used", async () => {
  const { threadId } = await hanging("killed");
  await cli.json(["thread", "kill", threadId]);
  const { end, unrecorded } = await comesTo(threadId, "aborted");
  expect(end?.run).toMatchObject({ usage: { inputTokens: 100 } });
  expect(unrecorded).toEqual([]);
  expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
});

it("a poke completes a step for watchers, and tells the role which run it replaces", async () => {
  const folder = join(cli.dir, "poked");
  mkdirSync(folder);
  const { threadId } = await cli.json<{ threadId: string }>([
    ...["run", "spending", "--idle", "--prompt", "go", "--cwd", folder],
  ]);
  await cli.json(["thread", "exec", threadId]);
  await cli.json(["thread", "poke", threadId, "--prompt", "again"]);
  const { head, steps, unrecorded } = await comesTo(threadId, "idle");
  expect(steps.map(({ run }) => run.notes)).toEqual([["in place of 2"]]);
  expect(unrecorded).toEqual([]);
  const { stdout } = await cli.run(["--json", "thread", "live", threadId, "--tail", "100"]);
  const completed = stdout
    .split("\n")
    .filter((line) => line.includes('"step_completed"'))
    .map((line): { stateHash: string; round: number } => JSON.parse(line));
  expect(completed).toHaveLength(2);
  expect(completed[1]).toMatchObject({ stateHash: head, round: 1 });
});

it("the totals of all threads come from the root's records, which outlive the threads", async () => {
  type Sum = { key: string | null; usage: { inputTokens: number } };
  type Books = { runs: number; total: { inputTokens: number; costUsd: number }; costs: Sum[] };
  const books = await cli.json<Books>(["costs", "--by", "role", "--since", "1d"]);
  const { threads } = await cli.json<{
    threads: { threadId: string; usage: { inputTokens: number } | null }[];
  }>(["list", "spending"]);
  const used = threads.map(({ usage }) => usage?.inputTokens ?? 0);
  expect(books.total.inputTokens).toBe(used.reduce((sum, each) => sum + each, 0));
  expect(books.costs.map(({ key }) => key).sort()).toEqual([null, "worker"]);
  expect(books.total.costUsd).toBeCloseTo(books.total.inputTokens / 1_000);
  const ended = threads.map(({ threadId }) => threadId);
  await cli.run(["thread", "kill", "--yes", ...ended]);
  const { code } = await cli.run(["thread", "rm", "--yes", ...ended]);
  expect(code).toBe(0);
  const after = await cli.json<Books>(["costs", "--by", "role"]);
  expect(after.total.inputTokens).toBeGreaterThanOrEqual(books.total.inputTokens);
  const text = await cli.run(["costs", "--by", "agent"]);
  expect(text.stdout).toMatch(/^AGENT .*\nspender .*\n/);
  expect((await cli.run(["costs", "--since", "0"])).stdout).toContain(`${after.runs} runs`);
});

it("members of a group that were cut off count for themselves, and those that had finished for nobody", async () => {
  const folder = join(cli.dir, "several");
  mkdirSync(folder);
  writeFileSync(join(folder, "hang"), "");
  const { threadId } = await cli.json<{ threadId: string }>([
    ...["run", "several", "--prompt", "go", "--cwd", folder],
  ]);
  await untilThread(cli.root, threadId, ({ stepCount }) => stepCount === 1);
  while (attempts(folder) < 3) await sleep(20);
  expect(await killHard(await ownerOf(cli.root, threadId))).toBe(true);
  const { unrecorded } = await cli.json<Shown>(["thread", "show", threadId]);
  expect(unrecorded.map(({ usage }) => usage.inputTokens)).toEqual([500]);

  rmSync(join(folder, "hang"));
  await cli.json(["thread", "resume", threadId]);
  const { steps } = await comesTo(threadId, "completed");
  const byNumber = steps.toSorted((a, b) => a.meta.n - b.meta.n).map(({ run }) => run);
  expect(byNumber.map(({ usage }) => usage.inputTokens)).toEqual([100, 400, 600]);
  const cutOff = [expect.stringContaining("an attempt; the usage includes")];
  expect(byNumber.map(({ notes = [] }) => notes)).toEqual([[], cutOff, cutOff]);
  expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
});
