/** What the verbs for the past and the future of a thread know of groups and of results. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StepGroup } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

/** Answers with the number in its prompt. */
const WORKER = `n=$(grep -o 'item-[0-9]*' | tail -1 | cut -d- -f2)
echo "{\\"status\\":\\"done\\",\\"n\\":$n}"
`;

function flow(description: string): string {
  return `description: ${description}
agents: { default: practice }
roles:
  worker:
    goal: work
    output:
      type: object
      properties: { status: { enum: [done] }, n: { type: integer } }
      required: [status, n]
      additionalProperties: false
graph:
  $START:
    new: { group: work, each: "[1..3]", as: n, role: worker, prompt: "item-{{ n }}", atOnce: 1 }
  work:
    - { outcomes: [timeout], role: $END }
    - { when: "group.failed = 0", role: $END }
    - { role: worker, prompt: "item-9" }
  worker: { done: $END }
result: '{ "numbers": [steps[role = "worker"].meta.n], "failed": $count(steps[outcome != "ok"]) }'
`;
}

/** Hands its work to a child, and routes on what the child returns. */
const PARENT = `
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START, workflowAsAgent } from "@uncaged/workflow-runtime";
import { z } from "zod";
const role = (schema) => defineRole({ description: "", systemPrompt: "", schema, extractRefs: null });
const definition = defineWorkflow({
  description: "hands its work to a child",
  roles: {
    delegate: role(z.object({ threadId: z.string(), result: z.object({ numbers: z.array(z.number()), failed: z.number() }) })),
    many: role(z.object({ sum: z.number() })),
    few: role(z.object({ sum: z.number() })),
  },
  table: {
    [START]: [{ condition: "FALLBACK", role: "delegate" }],
    delegate: [
      { condition: { name: "many", when: "last.meta.result.failed = 0 and $count(last.meta.result.numbers) > 2" }, role: "many", prompt: "{{ $sum(last.meta.result.numbers) }}" },
      { condition: "FALLBACK", role: "few" },
    ],
    many: [{ condition: "FALLBACK", role: END }],
    few: [{ condition: "FALLBACK", role: END }],
  },
  result: "last.role & ' ' & $string(last.meta.sum)",
});
const sum = (_prompt, schema) => async (_ctx, runtime) => ({ meta: schema.parse({ sum: Number(runtime.step.route.prompt) }), childThread: null });
export const run = createWorkflow(definition, { adapter: sum, overrides: { delegate: workflowAsAgent("fan") } });
export const descriptor = buildDescriptor(definition);
`;

type Step = { role: string; group?: StepGroup; meta: { n: number }; stateHash: string };
type Shown = { status: string; head: string; steps: Step[]; result: { value: unknown } | null };

let here: Cli;
let there: Cli;
beforeAll(async () => {
  here = openCli();
  there = openCli();
  for (const cli of [here, there]) {
    mkdirSync(cli.root, { recursive: true });
    const script = join(cli.dir, "worker.sh");
    writeFileSync(script, WORKER);
    const options = { command: "/bin/sh", args: [script], output: "json" };
    const agents = { practice: { package: "@uncaged/workflow-agent-command", options } };
    const settings = JSON.stringify({ config: { agents } });
    writeFileSync(join(cli.root, "workflow.yaml"), settings, { mode: 0o600 });
  }
  await add("Fans out");
});
afterAll(() => Promise.all([here.close(), there.close()]));

async function add(description: string): Promise<{ hash: string }> {
  writeFileSync(join(here.dir, "fan.yaml"), flow(description));
  return here.json(["workflow", "add", "fan", "fan.yaml"]);
}

const show = (threadId: string, cli = here): Promise<Shown> => cli.json(["show", threadId]);

/** A thread that has made so many steps of its group. */
async function threadAt(steps: number): Promise<string> {
  const { threadId } = await here.json<{ threadId: string }>([
    ...["run", "fan", "--prompt", "go", "--idle"],
  ]);
  if (steps > 0) await here.json(["thread", "exec", threadId, "--count", String(steps)]);
  expect((await show(threadId)).steps).toHaveLength(steps);
  return threadId;
}

async function finished(): Promise<string> {
  const words = ["run", "fan", "--prompt", "go", "--wait"];
  const { threadId, status } = await here.json<{ threadId: string; status: string }>(words);
  expect(status).toBe("completed");
  return threadId;
}

const RESULT = { numbers: [1, 2, 3], failed: 0 };

describe("a group", () => {
  it("is followed by a dry run, with members that fail", async () => {
    const stubs = (third: string): string =>
      `worker: [{ status: done, n: 1 }, { status: done, n: 2 }, ${third}, { status: done, n: 9 }]`;
    const dry = async (third: string): Promise<Record<string, unknown>> =>
      here.json(["run", "fan", "--dry-run", "--stubs", "-", "-p", "go"], { stdin: stubs(third) });
    const whole = await dry("{ status: done, n: 3 }");
    expect(whole).toMatchObject({ ok: true, result: RESULT });
    expect(whole.route).toMatchObject([
      { to: "worker", group: { name: "work", entry: 0, index: 0, of: 3 } },
      { to: "worker", group: { index: 1 } },
      { to: "worker", group: { index: 2 } },
      { from: "work", to: "__end__" },
    ]);
    const failing = await dry("{ $fails: crashed }");
    expect(failing).toMatchObject({ ok: true, end: { kind: "ended" } });
    expect(failing.route).toMatchObject([{}, {}, {}, { from: "work", to: "worker" }, {}]);
  });

  it("keeps a thread from being upgraded until it has joined", async () => {
    const [begun, fresh] = [await threadAt(2), await threadAt(0)];
    const before = await show(begun);
    await add("Fans out, too");
    const refused = await here.fails(["thread", "upgrade", begun]);
    expect(refused).toMatchObject({ code: "UPGRADE_REFUSED" });
    expect(refused.message).toContain("the group work: 1 of 3 members are missing");
    expect(await show(begun)).toEqual(before);
    await here.json(["thread", "upgrade", fresh]);
    for (const threadId of [begun, fresh]) {
      await here.json(["resume", threadId, "--wait"]);
      expect(await show(threadId)).toMatchObject({
        ...{ status: "completed", result: { value: RESULT } },
      });
      expect(await here.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
    }
  });

  it("is searched by bisect, which names the member", async () => {
    const threadId = await finished();
    const judge = ["--", "/bin/sh", "-c", "! grep -q '\"n\":[23]'"];
    const words = ["thread", "bisect", threadId, ...judge];
    expect(await here.json(words)).toMatchObject({
      firstBad: { role: "worker", group: { name: "work", index: 1, of: 3 }, meta: { n: 2 } },
    });
    const { stdout } = await here.run(words);
    expect(stdout).toContain(`#2 worker [work 2/3] is the first bad step of ${threadId}`);
  });

  it("is exported with what is missing, and continued where it is imported", async () => {
    const threadId = await threadAt(2);
    await here.json(["thread", "export", threadId, "--out", "begun.tar"]);
    await there.json(["thread", "import", join(here.dir, "begun.tar")]);
    expect((await show(threadId, there)).steps).toEqual((await show(threadId)).steps);
    await there.json(["resume", threadId, "--wait"]);
    const shown = await show(threadId, there);
    expect(shown.steps.map(({ group }) => group?.index)).toEqual([0, 1, 2]);
    expect(shown).toMatchObject({ status: "completed", result: { value: RESULT } });
    expect(await there.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });
});

describe("a result", () => {
  it("is attested with its thread, and computed again where it is checked", async () => {
    const threadId = await finished();
    const { file, publicKeyFile } = await here.json<{ file: string; publicKeyFile: string }>([
      ...["thread", "attest", threadId, "--out", "attested.json"],
    ]);
    await here.json(["thread", "export", threadId, "--out", "whole.tar"]);
    const signed = ["--attestation", file, "--public-key", publicKeyFile];
    const tar = join(here.dir, "whole.tar");
    const inFile = ["thread", "verify", threadId, "--export", tar, ...signed];
    expect(await there.json(inFile)).toMatchObject({ ok: true });
    await there.json(["thread", "import", tar]);
    expect(await there.json(["thread", "result", threadId])).toEqual({ threadId, result: RESULT });
    expect(await there.json(["thread", "verify", threadId, ...signed])).toMatchObject({ ok: true });
  });

  it("is that of the fork's own steps, by the version that the fork runs", async () => {
    const threadId = await finished();
    const words = ["thread", "fork", threadId, "--from-step", "1", "--idle"];
    const fork = await here.json<{ threadId: string }>(words);
    await here.json(["thread", "exec", fork.threadId]);
    const poke = ["thread", "poke", fork.threadId, "--prompt", "item-20, please"];
    await here.json(poke);
    await here.json(["resume", fork.threadId, "--wait"]);
    expect(await here.json(["thread", "result", fork.threadId])).toMatchObject({
      result: { numbers: [1, 20, 3] },
    });
    expect(await here.json(["thread", "verify", fork.threadId])).toMatchObject({ ok: true });
    expect(await here.json(["thread", "result", threadId])).toMatchObject({ result: RESULT });
  });

  it("of a child thread is data for the rules and prompts of its parent", async () => {
    await here.addSteps("steps");
    const source = join(here.dir, "flow", "parent.mjs");
    writeFileSync(source, PARENT);
    const { file } = await here.json<{ file: string }>(["workflow", "build", source]);
    await here.json(["workflow", "add", "parent", file]);
    const words = ["run", "parent", "--prompt", "go", "--wait"];
    const done = await here.json<{ threadId: string }>(words);
    expect(done).toMatchObject({ status: "completed", result: "many 6" });
    const { steps } = await show(done.threadId);
    expect(steps[0]).toMatchObject({ role: "delegate", meta: { result: RESULT } });
    expect(await here.json(["thread", "verify", done.threadId])).toMatchObject({ ok: true });
  });
});
