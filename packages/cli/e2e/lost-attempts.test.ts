/** A runner that is killed while its agent works has spent all the same. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { killHard } from "./kill-hard.test.helper.ts";

/** Reports what it used, and then hangs while the working directory has a file "hang". */
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
    usage, cwd, evidence: [],
  };
  return { meta: schema.parse({ n: ctx.steps.length + 1 }), childThread: null, run };
};
export const run = createWorkflow(definition, { adapter, overrides: null });
export const descriptor = buildDescriptor(definition);
`;

type Shown = {
  status: string;
  suspended: { kind?: string; message: string } | null;
  steps: { run: { usage: { inputTokens: number }; notes?: string[] } }[];
};

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  const file = join(cli.dir, "flow", "spending.js");
  writeFileSync(file, WORKFLOW);
  const built = await cli.json<{ file: string }>(["workflow", "build", file]);
  await cli.json(["workflow", "add", "spending", built.file]);
});
afterAll(() => cli.close());

const attempts = (folder: string): number => {
  try {
    return readFileSync(join(folder, "spent"), "utf8").length;
  } catch {
    return 0;
  }
};

/** Kills the thread's runner as soon as its agent has reported once more. */
async function killWhileItWorks(threadId: string, folder: string, before: number): Promise<void> {
  while (attempts(folder) === before) await sleep(20);
  const { threads } = await cli.json<{ threads: { threadId: string; pid: number }[] }>([
    ...["thread", "ps"],
  ]);
  const pid = threads.find((thread) => thread.threadId === threadId)?.pid;
  if (pid === undefined) throw new Error("nobody runs the thread");
  expect(await killHard(pid)).toBe(true);
}

async function comesTo(threadId: string, status: string): Promise<Shown> {
  while (true) {
    const shown = await cli.json<Shown>(["thread", "show", threadId]);
    if (shown.status === status) return shown;
    await sleep(100);
  }
}

it("a crash loop reaches the limit of tokens, and the next step has what the attempts used", async () => {
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
  expect(steps[0]?.run.notes).toEqual([expect.stringContaining("2 attempts")]);
  expect(steps[1]?.run.notes).toBeUndefined();
  expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
});
