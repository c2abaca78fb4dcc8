/** Which agent runs a role on this machine: `config.bindings`, with workflows that do not know about it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

let cli: Cli;
beforeEach(async () => {
  cli = openCli();
  mkdirSync(cli.root);
  const config = `config:\n  agents: ${JSON.stringify(AGENTS)}\n  bindings: {}\n`;
  writeFileSync(FILE(), config, { mode: 0o600 });
  writeFileSync(join(cli.dir, "flow.yaml"), FLOW);
  await cli.json(["workflow", "add", "greet", "flow.yaml"]);
});
afterEach(() => cli.close());

const FLOW = `description: two roles, one after the other
agents: { default: own, reviewer: reader }
roles:
  writer:
    goal: Write
    output: { type: object, properties: { by: { type: string } }, required: [by] }
  reviewer:
    goal: Review
    output: { type: object, properties: { by: { type: string } }, required: [by] }
graph:
  $START: { new: writer }
  writer: [{ role: reviewer }]
  reviewer: [{ role: $END }]
`;

/** An agent that reports its own name in its meta. */
function agent(name: string): { package: string; options: Record<string, unknown> } {
  const program = `console.log(JSON.stringify({ by: ${JSON.stringify(name)} }))`;
  return {
    package: "@uncaged/workflow-agent-command",
    options: { command: process.execPath, args: ["-e", program], output: "json" },
  };
}

const AGENTS = { own: agent("own"), reader: agent("reader"), mine: agent("mine") };

/** Changes that line as a person would. */
function bind(bindings: unknown, defaultAgent = "own"): void {
  const text = readFileSync(FILE(), "utf8");
  const lines = `  bindings: ${JSON.stringify(bindings)}\n  defaultAgent: ${defaultAgent}\n`;
  writeFileSync(FILE(), text.replace(/ {2}bindings: .*\n(?: {2}defaultAgent: .*\n)?/, lines));
}

const FILE = (): string => join(cli.root, "workflow.yaml");

type Step = { role: string; meta: { by: string }; run: { agent: { binding?: string } } };

/** By role: the agent that says it ran, and the agent that the record names. */
async function played(threadId: string): Promise<Record<string, unknown>> {
  const { steps } = await cli.json<{ steps: Step[] }>(["thread", "show", threadId]);
  return Object.fromEntries(
    steps.map(({ role, meta, run }) => [role, [meta.by, run.agent.binding ?? null]]),
  );
}

async function run(workflow = "greet"): Promise<string> {
  const ended = await cli.json<{ threadId: string }>(["run", workflow, "-p", "go", "--wait"]);
  return ended.threadId;
}

it("lets this machine's configuration choose the agent of one role, and records that in the step", async () => {
  expect(await played(await run())).toEqual({ writer: ["own", null], reviewer: ["reader", null] });
  const { hash } = await cli.json(["workflow", "show", "greet"]);
  bind({ greet: { reviewer: "mine" }, other: { writer: "mine" } });
  const threadId = await run();
  expect(await played(threadId)).toEqual({ writer: ["own", null], reviewer: ["mine", "mine"] });
  expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  expect((await cli.json(["workflow", "show", "greet"])).hash).toBe(hash);
  await cli.json(["workflow", "add", "other", "flow.yaml"]);
  expect(await played(await run("other"))).toEqual({
    writer: ["mine", "mine"],
    reviewer: ["reader", null],
  });
});

it("are read when a thread begins to run; the agent of a fork or a poke takes precedence", async () => {
  const idle = ["run", "greet", "-p", "go", "--idle"];
  const { threadId } = await cli.json<{ threadId: string }>(idle);
  bind({ greet: { writer: "mine", reviewer: "mine" } });
  await cli.json(["thread", "exec", threadId]);
  expect(await played(threadId)).toEqual({ writer: ["mine", "mine"] });
  await cli.json(["thread", "poke", threadId, "-p", "again", "--agent", "reader"]);
  expect(await played(threadId)).toEqual({ writer: ["reader", "reader"] });
  const fork = ["thread", "fork", threadId, "--from-step", "0", "--agent", "own", "--idle"];
  const forked = await cli.json<{ threadId: string }>(fork);
  await cli.json(["thread", "exec", forked.threadId, "--count", "2"]);
  expect(await played(forked.threadId)).toEqual({
    writer: ["own", "own"],
    reviewer: ["own", "own"],
  });
  bind({});
  await cli.json(["thread", "exec", threadId]);
  expect(await played(threadId)).toMatchObject({ reviewer: ["reader", null] });
});

it("are listed: the agent of each role, the roles of each agent, and what is missing", async () => {
  bind({ greet: { writer: "mine", writter: "mine" }, great: { writer: "mine" } });
  const { players } = await cli.json(["workflow", "show", "greet"]);
  expect(players).toEqual({
    writer: { agent: "mine", by: "bindings" },
    reviewer: { agent: "reader", by: "workflow" },
  });
  const { stdout } = await cli.run(["workflow", "show", "greet"]);
  expect(stdout).toMatch(/^writer +mine \(bound here\)/m);
  expect(stdout).toMatch(/^reviewer +reader/m);
  const { agents } = await cli.json<{ agents: { name: string; plays: string[] }[] }>([
    "agent",
    "list",
  ]);
  expect(agents.find(({ name }) => name === "mine")?.plays).toEqual([
    "greet.writer",
    "greet.writter",
    "great.writer",
  ]);
  const { checks } = await cli.json<{ checks: { name: string; message: string }[] }>(["doctor"]);
  const { message } = checks.find(({ name }) => name === "bindings") ?? {};
  expect(message).toContain("greet.writter: greet has no such role (it has: writer, reviewer)");
  expect(message).toContain("no workflow is registered as great");
});

it("refuses an agent that is not configured, with its line, before anything starts", async () => {
  const { threadId } = await cli.json<{ threadId: string }>([
    ...["run", "greet", "-p", "go", "--idle"],
  ]);
  bind({ greet: { writer: "mien" } });
  for (const args of [
    ["run", "greet", "-p", "go"],
    ["thread", "resume", threadId],
    ["thread", "exec", threadId],
  ])
    expect(await cli.fails(args)).toMatchObject({
      exit: 2,
      code: "CONFIG_INVALID",
      message: expect.stringMatching(
        /workflow\.yaml:\d+:\d+: config\.bindings\.greet\.writer is "mien".*it has: own, reader, mine/,
      ),
    });
  bind({});
  const { status } = await cli.json(["thread", "show", threadId]);
  expect(status).toBe("idle");
});

it("names every missing agent, with one command that adds them all", async () => {
  const flow = FLOW.replace("default: own, reviewer: reader", "default: codex, reviewer: wise");
  writeFileSync(join(cli.dir, "asking.yaml"), flow);
  await cli.json(["workflow", "add", "asking", "asking.yaml"]);
  const found = async (): Promise<{ ok: boolean; message: string; fix: string | null }> => {
    const { stdout } = await cli.run(["--json", "doctor"]);
    const { checks }: { checks: { name: string; ok: boolean; message: string; fix: string }[] } =
      JSON.parse(stdout);
    const { ok, message, fix } = checks.find(({ name }) => name === "agents") ?? {
      ok: false,
      message: "",
      fix: "",
    };
    return { ok, message, fix };
  };
  const add = (adapter: string, name: string): string =>
    `uncaged-workflow agent add @uncaged/workflow-agent-${adapter} --name ${name}`;
  expect(await found()).toEqual({
    ok: false,
    message: "not in config.agents, but required: codex (workflow asking); wise (workflow asking)",
    fix: `with this or another adapter: ${add("codex", "codex")} && ${add("claude-code", "wise")}`,
  });
  const ended = await cli.run(["--json", "run", "asking", "-p", "go", "--wait"]);
  const { summary }: { summary: string } = JSON.parse(ended.stdout);
  expect(summary).toContain("AGENT_NOT_FOUND");
  expect(summary).toContain(add("codex", "codex"));
  bind({ asking: { writer: "mine", reviewer: "mine" } });
  expect(await found()).toMatchObject({ ok: true, fix: null });
});
