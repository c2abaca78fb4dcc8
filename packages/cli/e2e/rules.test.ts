/** Untrusted adapters: the engine enforces the rules of their role. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

type Shown = {
  status: string;
  steps: { role: string }[];
  result: { summary: string } | null;
  end: { run: { usage: { inputTokens: number } | null; evidence: string[] } | null } | null;
};

/** The prompt says what the adapter does, the workflow which rule its role has. */
const workflow = (rules: string, says: string): string => `
import { writeFileSync } from "node:fs";
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, START, END } from "@uncaged/workflow-runtime";
import { z } from "zod";

const definition = defineWorkflow({
  description: "is played by an adapter of its own",
  roles: { coder: defineRole({ description: "", systemPrompt: "", schema: z.object({ done: z.boolean() }), extractRefs: null, ${rules} }) },
  table: { [START]: [{ condition: "FALLBACK", role: "coder" }], coder: [{ condition: "FALLBACK", role: END }] },
});
const TESTED = { name: "Bash", kind: "execute", subject: "npm test", exitCode: 0 };
const EDITED = { name: "Edit", kind: "edit", subject: "a.ts", exitCode: null };
const adapter = (_prompt, schema) => async (ctx, runtime) => {
  const asked = JSON.parse(ctx.start.content);
  writeFileSync(runtime.step.cwd + "/" + asked.mark, "ran");
  const evidence = [];
  for (const [at, call] of { tests: [TESTED], edits: [EDITED], nothing: [] }[asked.does].entries())
    evidence.push(await runtime.cas.put(JSON.stringify({
      id: String(at), input: {}, output: "", ok: true, durationMs: 1, timestamp: 1763730000000, ...call,
    })));
  const run = {
    agent: { name: "handmade", version: "1" }, session: null, prompt: null, startedAt: 1, completedAt: 2,
    usage: { inputTokens: 1200, outputTokens: 34, cachedInputTokens: 0, costUsd: 0.25 }, cwd: runtime.step.cwd, evidence,
    ...(asked.policy === undefined ? {} : { policy: asked.policy }),
  };
  return { meta: schema.parse({ done: true }), childThread: null, ...(asked.record === false ? {} : { run }) };
};
export const run = createWorkflow(definition, { adapter: ${says}, overrides: null });
export const descriptor = buildDescriptor(definition);
`;

const NEEDS_TESTS = `requiredEvidence: [{ name: "tests", kind: "execute", command: ["npm", "test"] }]`;
const NO_EDITS = `tools: { deny: [{ kind: "edit" }] }`;

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  await add("proving", workflow(NEEDS_TESTS, "adapter"));
  await add("undeclared", workflow(NO_EDITS, "adapter"));
  await add("declared", workflow(NO_EDITS, "Object.assign(adapter, { holdsPolicy: true })"));
});
afterAll(() => cli.close());

async function add(name: string, source: string): Promise<void> {
  const file = join(cli.dir, "flow", `${name}.js`);
  writeFileSync(file, source);
  const built = await cli.json<{ file: string }>(["workflow", "build", file]);
  await cli.json(["workflow", "add", name, built.file]);
}

type Played = Shown & { code: number | null; threadId: string; ran: boolean };

/** Runs a thread to its end. `ran`: its adapter was called. */
async function played(name: string, asked: Record<string, unknown>): Promise<Played> {
  const mark = `ran-${name}-${Math.random()}`;
  const prompt = JSON.stringify({ ...asked, mark });
  const { code, stdout } = await cli.run(["--json", "run", name, "--wait", "--prompt", prompt]);
  const { threadId }: { threadId: string } = JSON.parse(stdout);
  const shown = await cli.json<Shown>(["thread", "show", threadId]);
  return { ...shown, code, threadId, ran: existsSync(join(cli.dir, mark)) };
}

it.each([
  ["no record of its run", "proving", { does: "nothing", record: false }, "EVIDENCE_MISSING"],
  ["no evidence", "proving", { does: "nothing" }, "EVIDENCE_MISSING"],
  ["evidence of something else", "proving", { does: "edits" }, "EVIDENCE_MISSING"],
  ["no word that it held the policy", "declared", { does: "nothing" }, "AGENT_FAILED"],
  ["a call that is denied", "declared", { does: "edits", policy: "held" }, "AGENT_DENIED"],
])("a result with %s is no step, and fails the thread", async (_name, flow, asked, code) => {
  const thread = await played(flow, asked);
  expect(thread).toMatchObject({ code: 1, status: "failed", steps: [], ran: true });
  expect(thread.result?.summary).toContain(`${code}: `);
  expect(await cli.json(["thread", "verify", thread.threadId])).toMatchObject({ ok: true });
});

it("the cost and evidence of a result that was not accepted are in the thread's end node", async () => {
  const { end, threadId } = await played("proving", { does: "edits" });
  expect(end?.run).toMatchObject({ usage: { inputTokens: 1200, costUsd: 0.25 } });
  const [call = ""] = end?.run?.evidence ?? [];
  expect((await cli.run(["cas", "get", call])).stdout).toContain("a.ts");
  const { stdout } = await cli.run(["thread", "show", threadId]);
  expect(stdout).toMatch(/^agents .*\$0\.25/m);
});

it("an adapter that does not declare that it enforces policies is refused before it runs", async () => {
  const thread = await played("undeclared", { does: "nothing", policy: "held" });
  expect(thread).toMatchObject({ code: 1, status: "failed", steps: [], end: { run: null } });
  expect(thread.result?.summary).toContain("`holdsPolicy`");
  expect(thread.ran).toBe(false);
});

it.each([
  ["the evidence that its role requires", "proving", { does: "tests" }],
  ["its word that it held the policy", "declared", { does: "tests", policy: "held" }],
])("a result with %s is a step", async (_name, flow, asked) => {
  const thread = await played(flow, asked);
  expect(thread).toMatchObject({ code: 0, status: "completed", steps: [{ role: "coder" }] });
  expect(await cli.json(["thread", "verify", thread.threadId])).toMatchObject({ ok: true });
});
