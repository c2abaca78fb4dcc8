/** Threads that reach a limit, and roles that fail in a way the table has a rule for. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

type Shown = {
  status: string;
  suspended: { role: string; message: string; kind?: string } | null;
  steps: {
    role: string;
    outcome: string;
    meta: Record<string, unknown>;
    route: { condition: string; outcome?: string } | null;
    run: { usage: { inputTokens: number } | null; notes?: string[] } | null;
  }[];
  result: { summary: string } | null;
};

const WORKFLOW = `
import { buildDescriptor, createWorkflow, defineWorkflow, START, END } from "@uncaged/workflow-runtime";
import { z } from "zod";

const role = { description: "", systemPrompt: "", schema: z.object({ n: z.number() }), extractRefs: null };
const definition = defineWorkflow({
  description: "fails in order to be routed",
  roles: {
    worker: { ...role, retry: { attempts: 1, backoffMs: 10 } },
    fixer: role,
  },
  table: {
    [START]: [{ condition: "FALLBACK", role: "worker" }],
    worker: [
      { condition: "FALLBACK", role: "fixer", outcomes: ["denied"], prompt: "{{ last.meta.reason }}" },
      { condition: { name: "done", when: "last.meta.n >= 3" }, role: END },
      { condition: "FALLBACK", role: "worker" },
    ],
    fixer: [{ condition: "FALLBACK", role: "worker" }],
  },
});
let tries = 0;
const adapter = (_prompt, schema) => async (ctx, runtime) => {
  const run = {
    agent: { name: "scripted", version: "1" }, session: null, prompt: null, startedAt: 1, completedAt: 2,
    usage: { inputTokens: 10, outputTokens: 0, cachedInputTokens: 0, costUsd: 0.01 }, cwd: runtime.step.cwd, evidence: [],
  };
  const fail = (outcome) => { throw Object.assign(new Error("it " + outcome), { outcome, run }); };
  const mode = ctx.start.content;
  if (mode === "deny" && ctx.steps.length === 0) fail("denied");
  if (mode === "flaky" && tries++ === 0) fail("crashed");
  if (mode === "broken") fail("auth");
  return { meta: schema.parse({ n: ctx.steps.length + 1 }), childThread: null, run };
};
export const run = createWorkflow(definition, { adapter, overrides: null });
export const descriptor = buildDescriptor(definition);
`;

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  const source = join(cli.dir, "flow", "failing.js");
  writeFileSync(source, WORKFLOW);
  const built = await cli.json<{ file: string }>(["workflow", "build", source]);
  await cli.json(["workflow", "add", "failing", built.file]);
  const bounded = join(cli.dir, "flow", "bounded.js");
  writeFileSync(
    bounded,
    WORKFLOW.replace("backoffMs: 10 }", "backoffMs: 10 }, limits: { steps: 2 }"),
  );
  const { file } = await cli.json<{ file: string }>(["workflow", "build", bounded]);
  await cli.json(["workflow", "add", "bounded", file]);
});
afterAll(() => cli.close());

const show = (id: string): Promise<Shown> => cli.here<Shown>(["thread", "show", id]);

async function ran(
  args: readonly string[],
): Promise<{ code: number | null; threadId: string; stdout: string }> {
  const { code, stdout } = await cli.run(["--json", "run", ...args, "--wait"]);
  const { threadId }: { threadId: string } = JSON.parse(stdout);
  return { code, threadId, stdout };
}

describe("a thread that reaches a limit", () => {
  it("waits for a person, says why, and continues once the limit is raised", async () => {
    const prompt = JSON.stringify({ steps: 4 });
    const { code, threadId } = await ran(["steps", "--prompt", prompt, "--max-steps", "2"]);
    expect(code).toBe(7);
    const waiting = await show(threadId);
    expect(waiting).toMatchObject({
      status: "suspended",
      suspended: {
        kind: "limit",
        message: "the thread has used 2 of 2 steps; raise the limit to continue",
      },
    });
    expect(waiting.steps).toHaveLength(2);

    const plain = await cli.fails(["thread", "resume", threadId]);
    expect(plain).toMatchObject({ exit: 3, code: "TRANSITION_INVALID" });
    expect(plain.hint).toContain("--max-steps");
    const answered = await cli.fails(["thread", "resume", threadId, "-p", "go on"]);
    expect(answered).toMatchObject({ exit: 3, code: "TRANSITION_INVALID" });
    expect(await show(threadId)).toEqual(waiting);

    await cli.json(["thread", "resume", threadId, "--max-steps", "3"]);
    await until(threadId, "suspended", 3);
    await cli.json(["thread", "resume", threadId, "--max-steps", "100"]);
    await until(threadId, "completed", 5);
    expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it.each([
    ["--max-tokens", "20", "20 of 20 tokens", "--max-tokens <n>", "1000"],
    ["--max-cost", "0.02", "$0.0200 of $0.0200", "--max-cost <usd>", "5"],
  ])(
    "counts what its agents report, and names what raises it: %s",
    async (option, bound, words, remedy, more) => {
      const { code, threadId } = await ran(["failing", "--prompt", "go", option, bound]);
      expect(code).toBe(7);
      const waiting = await show(threadId);
      expect(waiting.steps).toHaveLength(2);
      expect(waiting.suspended?.message).toContain(words);
      expect((await cli.run(["thread", "show", threadId])).stdout).toContain(
        `raise it with: uncaged-workflow thread resume ${threadId} ${remedy}`,
      );
      // Refused, as the thread would only wait again: no limit, another limit, or one that is already used up.
      for (const args of [[], ["--max-steps", "100"], [option, bound]]) {
        const refused = await cli.fails(["thread", "resume", threadId, ...args]);
        expect(refused).toMatchObject({ exit: 3, code: "TRANSITION_INVALID" });
        expect(refused.hint).toContain(`thread resume ${threadId} ${remedy}`);
      }
      expect(await show(threadId)).toEqual(waiting);
      await cli.json(["thread", "resume", threadId, option, more]);
      await until(threadId, "completed", 3);
    },
  );

  it("may be a role's own, and is raised for that role", async () => {
    const { code, threadId } = await ran(["bounded", "--prompt", "go"]);
    expect(code).toBe(7);
    const waiting = await show(threadId);
    expect(waiting.suspended).toMatchObject({
      message: "role worker has used 2 of 2 steps; raise the limit to continue",
      limit: { role: "worker", bound: "steps", limit: 2, used: 2 },
    });
    const ofThread = await cli.fails(["thread", "resume", threadId, "--max-steps", "50"]);
    expect(ofThread).toMatchObject({ exit: 3, code: "TRANSITION_INVALID" });
    expect(ofThread.hint).toContain("--role worker --max-steps <n>");
    const stray = ["thread", "resume", threadId, "--role", "wroker", "--max-steps", "50"];
    expect(await cli.fails(stray)).toMatchObject({ exit: 2, code: "USAGE" });
    const nothing = ["thread", "resume", threadId, "--role", "worker"];
    expect(await cli.fails(nothing)).toMatchObject({ exit: 2, code: "USAGE" });
    expect(await show(threadId)).toEqual(waiting);
    await cli.json(["thread", "resume", threadId, "--role", "worker", "--max-steps", "3"]);
    await until(threadId, "completed", 3);
    expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it.each([
    ["--max-steps", "0"],
    ["--max-cost", "free"],
    ["--max-cost", "-1"],
    ["--max-time", "soon"],
  ])("is not started with a bound that is none: %s %s", async (option, bound) => {
    const refused = await cli.fails(["run", "failing", "--prompt", "go", `${option}=${bound}`]);
    expect(refused).toMatchObject({ exit: 2, code: "USAGE" });
    expect(refused.message).toContain(option);
  });
});

describe("a role that fails", () => {
  it("is a recorded step when the table has a rule for it, and the thread verifies", async () => {
    const { code, threadId } = await ran(["failing", "--prompt", "deny"]);
    expect(code).toBe(0);
    const { steps } = await show(threadId);
    expect(steps.map(({ role, outcome }) => [role, outcome])).toEqual([
      ["worker", "denied"],
      ["fixer", "ok"],
      ["worker", "ok"],
    ]);
    expect(steps[0]).toMatchObject({
      meta: { outcome: "denied", reason: "it denied" },
      run: { usage: { inputTokens: 10 } },
    });
    expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it("is retried, and the step counts both attempts", async () => {
    const { code, threadId } = await ran(["failing", "--prompt", "flaky"]);
    expect(code).toBe(0);
    const { steps } = await show(threadId);
    expect(steps[0]).toMatchObject({
      outcome: "ok",
      run: { usage: { inputTokens: 20 }, notes: ["try 1 failed: crashed: it crashed"] },
    });
  });

  it("fails the thread when no rule handles that, and its usage is kept", async () => {
    const { code, threadId } = await ran(["failing", "--prompt", "broken"]);
    expect(code).toBe(1);
    const { result } = await show(threadId);
    expect(result?.summary).toContain("it auth");
    const { head } = await cli.json<{ head: string }>(["thread", "show", threadId]);
    const end = await cli.run(["cas", "get", head]);
    expect(end.stdout).toContain('"inputTokens":10');
  });
});

async function until(threadId: string, status: string, steps: number): Promise<void> {
  for (let looks = 0; looks < 300; looks++) {
    const shown = await show(threadId);
    if (shown.status === status && shown.steps.length === steps) return;
  }
  throw new Error(`thread ${threadId} never was ${status} with ${steps} steps`);
}
