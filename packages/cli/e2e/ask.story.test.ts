/** A tool policy that has a person asked: the agent waits, and the answer decides. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type ChatCompletionRequest, LLMock } from "@copilotkit/aimock";
import type { ThreadSummary, ThreadView } from "@uncaged/workflow-protocol";
import { openThreadStore } from "@uncaged/workflow-store";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { killHard } from "./kill-hard.test.helper.ts";
import { ownerOf, rests, untilThread } from "./until-thread.test.helper.ts";

const flow = (askTimeoutMs: number): string => `
description: Runs a command
roles:
  coder:
    goal: run it
    tools:
      ask: [{ kind: execute, command: [touch] }]
      askTimeoutMs: ${askTimeoutMs}
    output: { type: object, properties: { good: { type: boolean } }, required: [good], additionalProperties: false }
graph:
  $START: { new: coder }
  coder: $END
`;

let cli: Cli;
/** What the model was told of its call. */
let heard: string[];
const model = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
beforeAll(async () => {
  heard = [];
  cli = openCli();
  await model.start();
  model.on({ predicate: () => true }, reply);
  const scope = join(cli.root, "node_modules", "@uncaged");
  mkdirSync(scope, { recursive: true });
  const folder = fileURLToPath(new URL("../../agent-react", import.meta.url));
  symlinkSync(folder, join(scope, "workflow-agent-react"));
  const options = { model: "lab/large" };
  const config = {
    providers: { lab: { baseUrl: `${model.url}/v1`, apiKey: "k" } },
    agents: { react: { package: "@uncaged/workflow-agent-react", options } },
    defaultAgent: "react",
  };
  writeFileSync(join(cli.root, "workflow.yaml"), JSON.stringify({ config }), { mode: 0o600 });
  for (const [name, ms] of [
    ["patient", 3_600_000],
    ["hasty", 1],
  ] as const) {
    writeFileSync(join(cli.dir, `${name}.yaml`), flow(ms));
    await cli.json(["workflow", "add", name, `${name}.yaml`]);
  }
});
afterEach(() => cli.run(["down"]));
afterAll(async () => {
  await model.stop();
  await cli.close();
});

function reply({ messages }: ChatCompletionRequest) {
  const last = messages.at(-1);
  const call = (name: string, input: object) => ({
    toolCalls: [{ name, arguments: JSON.stringify(input) }],
  });
  if (last?.role !== "tool") return call("shell_exec", { command: "touch pushed" });
  heard.push(String(last.content));
  return call("submit_result", { good: true });
}

async function start(workflow: string): Promise<{ threadId: string; cwd: string }> {
  const cwd = join(cli.dir, `work-${Math.random()}`);
  mkdirSync(cwd);
  const words = ["run", workflow, "--prompt", "go", "--cwd", cwd];
  return { ...(await cli.json<{ threadId: string }>(words)), cwd };
}

/** Once a step of the thread asks. */
async function untilAsked(threadId: string): Promise<void> {
  const store = await openThreadStore(cli.root);
  while ((await store.asks({ threadId })).length === 0) await sleep(20);
  await store.close();
}

const inbox = async (): Promise<ThreadSummary[]> =>
  (await cli.json<{ threads: ThreadSummary[] }>(["inbox"])).threads;

it.each(["a runner", "the host"])("of %s waits, and does what the person allows", async (where) => {
  if (where === "the host") void cli.run(["up"]);
  if (where === "the host") while (!(await cli.run(["status"])).stdout.startsWith("host: process"));
  const { threadId, cwd } = await start("patient");
  await untilAsked(threadId);
  expect(await inbox()).toMatchObject([
    {
      threadId,
      status: "running",
      waits: [{ role: "coder", permission: true, form: { required: ["allow"] } }],
    },
  ]);
  const { stdout } = await cli.run(["inbox"]);
  expect(stdout).toMatch(/coder asks: May react do this\? shell_exec: touch pushed/);
  expect(stdout).toContain(`answer ${threadId} allow=<true|false> [reason=<text>]`);
  expect(existsSync(join(cwd, "pushed"))).toBe(false);
  expect(await cli.fails(["answer", threadId, "allow=perhaps"])).toMatchObject({
    code: "ANSWER_INVALID",
  });
  const done = await cli.json(["answer", threadId, "allow=yes", "--wait"]);
  expect(done).toMatchObject({ status: "completed" });
  expect(existsSync(join(cwd, "pushed"))).toBe(true);
  expect(await inbox()).toEqual([]);
  const { steps } = await cli.json<ThreadView>(["show", threadId]);
  expect(steps[0]?.run?.notes).toContainEqual(
    expect.stringMatching(/^allowed \(allowed by .*\): shell_exec: touch pushed$/),
  );
  expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
});

it("is told why the person refuses", async () => {
  const { threadId, cwd } = await start("patient");
  await untilAsked(threadId);
  await cli.json(["answer", threadId, "allow=no", "reason=not on Fridays", "--wait"]);
  expect(existsSync(join(cwd, "pushed"))).toBe(false);
  expect(heard.at(-1)).toMatch(/Denied: refused by .*: not on Fridays/);
});

it("is refused when nobody answers in time", async () => {
  const { threadId, cwd } = await start("hasty");
  const { status } = await untilThread(cli.root, threadId, rests);
  expect(status).toBe("completed");
  expect(existsSync(join(cwd, "pushed"))).toBe(false);
  expect(heard.at(-1)).toContain("Denied: nobody answered");
});

it("that crashed meanwhile does nothing, accepts no answer, and asks again when it is continued", async () => {
  const { threadId, cwd } = await start("patient");
  await untilAsked(threadId);
  await killHard(await ownerOf(cli.root, threadId));
  expect(await inbox()).toEqual([]);
  expect(await cli.fails(["answer", threadId, "allow=yes"])).toMatchObject({
    code: "TRANSITION_INVALID",
  });
  await cli.json(["resume", threadId]);
  await untilAsked(threadId);
  expect(existsSync(join(cwd, "pushed"))).toBe(false);
  await cli.json(["answer", threadId, "allow=yes", "--wait"]);
  expect(existsSync(join(cwd, "pushed"))).toBe(true);
});
