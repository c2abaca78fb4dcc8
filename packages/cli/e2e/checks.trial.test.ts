/** Roles that have to pass a check: the engine runs it itself, on the files that they left. */
import { execFileSync } from "node:child_process";
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

type Shown = {
  status: string;
  steps: { role: string; run: { evidence: string[] }; proof?: { state: string; round: number } }[];
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

/** The prompt says what each role writes, and whether the reviewer approves. */
const APPROVED = `
import { writeFileSync } from "node:fs";
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, START, END } from "@uncaged/workflow-runtime";
import { z } from "zod";

const role = (more) => defineRole({ description: "", systemPrompt: "", schema: z.object({ approved: z.boolean() }), extractRefs: null, ...more });
const definition = defineWorkflow({
  description: "a coder whose tests a reviewer approves, and an editor",
  roles: {
    coder: role({ requiredEvidence: [{ check: { command: ["node", "--test"], approver: ["reviewer"] } }] }),
    reviewer: role({}),
    editor: role({}),
    witness: role({}),
  },
  table: {
    [START]: [{ condition: "FALLBACK", role: "coder" }],
    coder: [
      { condition: { name: "unapproved", when: "evidence.state = 'unapproved'" }, role: "reviewer" },
      { condition: "FALLBACK", role: "editor" },
    ],
    reviewer: [{ condition: "FALLBACK", role: "editor" }],
    editor: [
      { condition: { name: "valid", when: "evidence.valid" }, role: END },
      { condition: { name: "stale", when: "$match(evidence.state, /^STALE$/i)" }, role: "witness" },
      { condition: "FALLBACK", role: END },
    ],
    witness: [{ condition: "FALLBACK", role: END }],
  },
});
const adapter = (_prompt, schema) => async (ctx, runtime) => {
  const { approved = false, ...roles } = JSON.parse(ctx.start.content);
  const files = roles[runtime.step.role] ?? {};
  for (const name in files) writeFileSync(runtime.step.cwd + "/" + name, files[name]);
  return { meta: schema.parse({ approved }), childThread: null };
};
export const run = createWorkflow(definition, { adapter, overrides: null });
export const descriptor = buildDescriptor(definition);
`;

/** The same with a person as the reviewer, who is asked by the rule for it. */
const BY_PERSON = APPROVED.replace("reviewer: role({})", "reviewer: role({ person: {} })").replace(
  'role: "reviewer" }',
  'role: "reviewer", prompt: "May the tests be changed so?" }',
);

const RIGHT = "export const add = (a, b) => a + b;\n";
const WRONG = "export const add = (a, b) => a - b;\n";
const TESTS =
  'import assert from "node:assert";\nimport { test } from "node:test";\nimport { add } from "./add.mjs";\ntest("adds", () => assert.equal(add(1, 2), 3));\n';

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  for (const [name, code] of Object.entries({
    checked: FLOW,
    approved: APPROVED,
    "by-person": BY_PERSON,
  })) {
    const file = join(cli.dir, "flow", `${name}.js`);
    writeFileSync(file, code);
    const built = await cli.json<{ file: string }>(["workflow", "build", file]);
    await cli.json(["workflow", "add", name, built.file]);
  }
  git("init", "-q", "-b", "main");
  writeFileSync(join(cli.dir, ".gitignore"), "/flow/\n/bin/\n/calls/\n");
  writeFileSync(join(cli.dir, "add.mjs"), RIGHT);
  writeFileSync(join(cli.dir, "add.test.mjs"), TESTS);
});
afterAll(() => cli.close());

async function played(
  asked: Record<string, unknown>,
  workflow = "checked",
): Promise<Shown & { threadId: string }> {
  const prompt = JSON.stringify(asked);
  const { stdout } = await cli.run(["--json", "run", workflow, "--wait", "--prompt", prompt]);
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

it("rules see valid evidence, and the thread is attested", async () => {
  const thread = await played({ coder: { "add.mjs": `// Sum.\n${RIGHT}` } }, "approved");
  expect(thread.steps.map(({ proof }) => proof?.state)).toEqual(["valid", "valid"]);
  expect(thread.status).toBe("completed");
  expect(await attest(thread.threadId)).toMatchObject({ code: 0 });
});

it("a change after the check makes evidence stale: rules, show and attest say so", async () => {
  const thread = await played({ editor: { "notes.txt": "late" } }, "approved");
  expect(thread.steps.map(({ role }) => role)).toEqual(["coder", "editor", "witness"]);
  expect(thread.steps.map(({ proof }) => proof?.state)).toEqual(["valid", "stale", "stale"]);
  const { stdout } = await cli.run(["thread", "show", thread.threadId]);
  expect(stdout).toContain("stale evidence: step 1");
  expect(await cli.json(["thread", "verify", thread.threadId])).toMatchObject({ ok: true });
  const refused = await attest(thread.threadId);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("the files were changed after step 1");
  git("clean", "-qf", "notes.txt");
});

it("changed tests wait for the approver, whose step makes the evidence valid", async () => {
  const coder = { "add.mjs": WRONG, "add.test.mjs": TESTS.replace("3)", "-1)") };
  const thread = await played({ coder, approved: true }, "approved");
  expect(thread.steps.map(({ proof }) => proof?.state)).toEqual(["unapproved", "valid", "valid"]);
  expect(thread.status).toBe("completed");
  expect(await cli.json(["thread", "verify", thread.threadId])).toMatchObject({ ok: true });
  expect(await attest(thread.threadId)).toMatchObject({ code: 0 });
  writeFileSync(join(cli.dir, "add.mjs"), RIGHT);
  writeFileSync(join(cli.dir, "add.test.mjs"), TESTS);
});

it("a person may be the approver: the thread waits, and the answer counts", async () => {
  const coder = { "add.mjs": WRONG, "add.test.mjs": TESTS.replace("3)", "-1)") };
  for (const approved of [true, false]) {
    const { threadId, status } = await played({ coder }, "by-person");
    expect(status).toBe("suspended");
    await cli.run(["answer", threadId, `approved=${approved}`, "--wait"]);
    const thread = await cli.json<Shown>(["thread", "show", threadId]);
    expect(thread.status).toBe(approved ? "completed" : "failed");
    const states = thread.steps.map(({ proof }) => proof?.state);
    expect(states).toEqual(["unapproved", ...Array(2).fill(approved ? "valid" : "unapproved")]);
    expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
    writeFileSync(join(cli.dir, "add.mjs"), RIGHT);
    writeFileSync(join(cli.dir, "add.test.mjs"), TESTS);
  }
});

it("a thread does not complete while nobody has approved", async () => {
  const coder = { "add.mjs": WRONG, "add.test.mjs": TESTS.replace("3)", "-1)") };
  const thread = await played({ coder, approved: false }, "approved");
  expect(thread).toMatchObject({ status: "failed" });
  expect(thread.result?.summary).toContain("no approver has approved that");
  const { stdout } = await cli.run(["thread", "show", thread.threadId]);
  expect(stdout).toContain("evidence waits for an approver of what step 1 changed");
  writeFileSync(join(cli.dir, "add.mjs"), RIGHT);
  writeFileSync(join(cli.dir, "add.test.mjs"), TESTS);
});

it("gc removes evidence of checks that nobody used for a month, and says how much", async () => {
  const kept = join(cli.root, "workspaces", "evidence");
  const [old = "", ...others] = readdirSync(kept);
  expect(old).not.toBe("");
  const monthAgo = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
  utimesSync(join(kept, old), monthAgo, monthAgo);
  const checks = { installs: 0, evidence: 1 };
  expect(await cli.json(["cas", "gc", "--dry-run"])).toMatchObject({ checks });
  expect(readdirSync(kept)).toContain(old);
  expect(await cli.json(["cas", "gc"])).toMatchObject({ checks });
  expect(readdirSync(kept)).toEqual(others);
});

function attest(threadId: string) {
  const file = join(cli.dir, "flow", `${threadId}.json`);
  return cli.run(["thread", "attest", threadId, "--out", file]);
}

function git(...args: string[]): string {
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", args, { cwd: cli.dir, encoding: "utf8", env, stdio: "pipe" });
}
