/** A provider that answers 429 and says when to come back, as three threads experience it. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ThreadView } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { type Hosted, hosted } from "./hosted.test.helper.ts";
import { untilThread, untilThreads } from "./until-thread.test.helper.ts";

const FLOW = (agent: string) => `
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, namedAgent, START } from "@uncaged/workflow-runtime";
import { z } from "zod";
const definition = defineWorkflow({
  description: "asks a model once",
  roles: { judge: defineRole({ description: "judges", systemPrompt: "You judge.", schema: z.object({ good: z.boolean() }), extractRefs: null, retry: { attempts: 2, backoffMs: 1 } }) },
  table: { [START]: [{ condition: "FALLBACK", role: "judge" }], judge: [{ condition: "FALLBACK", role: END }] },
});
const here = async (ctx, runtime) => ({ meta: { good: true }, childThread: null });
export const descriptor = buildDescriptor(definition);
export const run = createWorkflow(definition, { adapter: ${agent}, overrides: null });
`;

/** Until when the server turns everybody away, Unix milliseconds, and what it says about that. */
let closed: { untilMs: number; retryAfter: string };
/** When it was called. */
let calls: number[];
let cli: Cli;
let host: Hosted;
let server: Server;

beforeAll(async () => {
  cli = openCli();
  host = hosted(cli);
  server = createServer((request, response) => {
    const nowMs = Date.now();
    calls.push(nowMs);
    request.resume();
    if (nowMs < closed.untilMs) {
      response.writeHead(429, { "retry-after": closed.retryAfter });
      response.end("slow down");
      return;
    }
    const message = { content: '{ "good": true }' };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const scope = join(cli.root, "node_modules", "@uncaged");
  mkdirSync(scope, { recursive: true });
  symlinkSync(
    fileURLToPath(new URL("../../agent-llm", import.meta.url)),
    join(scope, "workflow-agent-llm"),
  );
  const config = `config:
  providers: { lab: { baseUrl: "http://127.0.0.1:${port}/v1", apiKey: none } }
  models: { small: lab/small, large: lab/large }
  agents:
    one: { package: "@uncaged/workflow-agent-llm", options: { model: small } }
    other: { package: "@uncaged/workflow-agent-llm", options: { model: large } }
`;
  writeFileSync(join(cli.root, "workflow.yaml"), config, { mode: 0o600 });
  const flow = join(cli.dir, "flow");
  mkdirSync(join(flow, "node_modules"), { recursive: true });
  const zod = fileURLToPath(new URL("../node_modules/zod", import.meta.url));
  symlinkSync(zod, join(flow, "node_modules", "zod"));
  writeFileSync(join(flow, "package.json"), '{ "name": "flow", "type": "module" }\n');
  for (const [name, agent] of [
    ["first", 'namedAgent("one")'],
    ["second", 'namedAgent("other")'],
    ["apart", "() => here"],
  ] as const) {
    writeFileSync(join(flow, `${name}.mjs`), FLOW(agent));
    const source = join(flow, `${name}.mjs`);
    const { file } = await cli.json<{ file: string }>(["workflow", "build", source]);
    await cli.json(["workflow", "add", name, file]);
  }
});
beforeEach(() => {
  calls = [];
});
afterAll(async () => {
  await cli.run(["down"]);
  server.close();
  await cli.close();
});

function limit(limits: string): void {
  const path = join(cli.root, "workflow.yaml");
  const text = readFileSync(path, "utf8").replace("config:\n", `config:\n  limits: ${limits}\n`);
  writeFileSync(path, text, { mode: 0o600 });
}
async function start(workflow: string): Promise<string> {
  const words = ["run", workflow, "--prompt", "Judge."];
  return (await cli.json<{ threadId: string }>(words)).threadId;
}
const completed = (threadId: string) =>
  untilThread(cli.root, threadId, ({ status }) => status === "completed");
const called = (count: number) => expect.poll(() => calls.length).toBeGreaterThanOrEqual(count);

it.each([
  ["seconds", () => ({ untilMs: Date.now() + 6_000, retryAfter: "6" })],
  [
    "an HTTP date",
    () => {
      const untilMs = Math.ceil((Date.now() + 6_000) / 1_000) * 1_000;
      return { untilMs, retryAfter: new Date(untilMs).toUTCString() };
    },
  ],
])("none of three threads comes back before the provider said, in %s", async (_form, until) => {
  closed = until();
  const threads = await Promise.all([start("first"), start("second"), start("first")]);
  await Promise.all(threads.map(completed));
  const early = calls.filter((atMs) => atMs < closed.untilMs);
  // Each called at most once before it knew.
  expect(early.length).toBeLessThanOrEqual(3);
  expect(calls.length - early.length).toBe(3);
});

it("a thread that was turned away gives up its room, and others of its provider are not started", async () => {
  closed = { untilMs: Number.POSITIVE_INFINITY, retryAfter: "900" };
  limit("{ threads: 1 }");
  await host.up();
  const away = await start("first");
  await called(1);
  const held = { key: "provider:lab", agents: ["one", "other"] };
  await expect
    .poll(async () => (await cli.json<{ holds: unknown[] }>(["queue"])).holds)
    .toMatchObject([held]);
  const [second, third] = [await start("second"), await start("first")];
  const waits = await untilThreads(cli.root, (all) => {
    const queued = all.filter(({ status }) => status === "queued");
    const keys = queued.map((thread) => ("queue" in thread ? thread.queue.for.join() : ""));
    return keys.length === 2 && keys.every((key) => key === "provider:lab") ? queued : null;
  });
  expect(waits.map(({ threadId }) => threadId).toSorted()).toEqual([second, third].toSorted());
  expect((await cli.run(["queue"])).stdout).toMatch(/^provider lab has turned us away until 20/);
  await completed(await start("apart"));
  const view = await cli.json<ThreadView>(["thread", "show", away]);
  expect(view.status).toBe("running");
  expect(calls).toHaveLength(1);

  closed.untilMs = 0;
  await cli.json(["queue", "resume"]);
  await Promise.all([second, third].map(completed));
  expect(calls).toHaveLength(3);
  await cli.json(["thread", "stop", away]);
  await cli.json(["thread", "resume", away]);
  await completed(away);
  expect(calls).toHaveLength(4);
});
