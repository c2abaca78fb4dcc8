/** Roles that have to pass a check: the engine runs it itself, on the files that they left. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

type Shown = {
  status: string;
  steps: { run: { evidence: string[] } }[];
  result: { summary: string } | null;
  end: { run: { evidence: string[] } | null } | null;
};

/** The prompt says which files the adapter writes, at once and when it is told what fails. */
const FLOW = `
import { writeFileSync } from "node:fs";
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, START, END } from "@uncaged/workflow-runtime";
import { z } from "zod";

const definition = defineWorkflow({
  description: "is played by an adapter of its own",
  roles: { coder: defineRole({ description: "", systemPrompt: "", schema: z.object({ told: z.string() }), extractRefs: null,
    requiredEvidence: [{ check: { command: ["node", "--test"] } }] }) },
  table: { [START]: [{ condition: "FALLBACK", role: "coder" }], coder: [{ condition: "FALLBACK", role: END }] },
});
const adapter = (_prompt, schema) => async (ctx, runtime) => {
  const { files, mended = null } = JSON.parse(ctx.start.content);
  const write = (all) => { for (const name in all) writeFileSync(runtime.step.cwd + "/" + name, all[name]); };
  write(files);
  const told = mended === null ? "" : await runtime.checkFiles();
  write(mended ?? {});
  return { meta: schema.parse({ told: told ?? "nothing" }), childThread: null };
};
export const run = createWorkflow(definition, { adapter, overrides: null });
export const descriptor = buildDescriptor(definition);
`;

const RIGHT = "export const add = (a, b) => a + b;\n";
const WRONG = "export const add = (a, b) => a - b;\n";
const TESTS =
  'import assert from "node:assert";\nimport { test } from "node:test";\nimport { add } from "./add.mjs";\ntest("adds", () => assert.equal(add(1, 2), 3));\n';

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  const file = join(cli.dir, "flow", "checked.js");
  writeFileSync(file, FLOW);
  const built = await cli.json<{ file: string }>(["workflow", "build", file]);
  await cli.json(["workflow", "add", "checked", built.file]);
  git("init", "-q", "-b", "main");
  writeFileSync(join(cli.dir, ".gitignore"), "/flow/\n/bin/\n/calls/\n");
  writeFileSync(join(cli.dir, "add.mjs"), RIGHT);
  writeFileSync(join(cli.dir, "add.test.mjs"), TESTS);
});
afterAll(() => cli.close());

async function played(asked: Record<string, unknown>): Promise<Shown & { threadId: string }> {
  const prompt = JSON.stringify(asked);
  const { stdout } = await cli.run(["--json", "run", "checked", "--wait", "--prompt", prompt]);
  const { threadId }: { threadId: string } = JSON.parse(stdout);
  return { threadId, ...(await cli.json<Shown>(["thread", "show", threadId])) };
}

it("work that passes is a step with the evidence, and verify asks again", async () => {
  const thread = await played({ files: { "add.mjs": `// Adds.\n${RIGHT}` } });
  expect(thread).toMatchObject({ status: "completed" });
  const [evidence = ""] = thread.steps[0]?.run.evidence ?? [];
  const { stdout } = await cli.run(["cas", "get", evidence]);
  expect(stdout).toContain("passed");
  expect(await cli.json(["thread", "verify", thread.threadId])).toMatchObject({ ok: true });
  const { stdout: shown } = await cli.run(["thread", "show", thread.threadId]);
  expect(shown).toContain("node --test: passed");
});

it("work that fails is no step, whatever the adapter says, and its evidence is kept", async () => {
  const thread = await played({ files: { "add.mjs": WRONG } });
  expect(thread).toMatchObject({ status: "failed", steps: [] });
  expect(thread.result?.summary).toContain("EVIDENCE_MISSING");
  expect(thread.result?.summary).toContain("node --test exited with 1");
  expect(thread.end?.run?.evidence).toHaveLength(1);
  writeFileSync(join(cli.dir, "add.mjs"), RIGHT);
});

it("tests that were weakened together with the work are those of the base again", async () => {
  const files = { "add.mjs": WRONG, "add.test.mjs": TESTS.replace("3)", "-1)") };
  const thread = await played({ files });
  expect(thread.result?.summary).toContain("files that decide what is checked were changed");
  writeFileSync(join(cli.dir, "add.mjs"), RIGHT);
  writeFileSync(join(cli.dir, "add.test.mjs"), TESTS);
});

it("an adapter that asks is told what fails, and may mend it", async () => {
  const thread = await played({ files: { "add.mjs": WRONG }, mended: { "add.mjs": RIGHT } });
  expect(thread).toMatchObject({ status: "completed" });
  expect(JSON.stringify(thread.steps)).toContain("node --test exited with 1");
});

it("outside of a git repository nothing can be checked, and the step fails", async () => {
  const prompt = JSON.stringify({ files: {} });
  const args = ["--json", "run", "checked", "--wait", "--cwd", "/tmp", "--prompt", prompt];
  const { stdout } = await cli.run(args);
  const { threadId }: { threadId: string } = JSON.parse(stdout);
  const { result } = await cli.json<Shown>(["thread", "show", threadId]);
  expect(result?.summary).toContain("CHECK_FAILED");
});

function git(...args: string[]): string {
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", args, { cwd: cli.dir, encoding: "utf8", env, stdio: "pipe" });
}
