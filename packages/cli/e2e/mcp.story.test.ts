/** The Model Context Protocol server as agents use it: the built command with the SDK's client. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BIN, type Cli, openCli } from "./cli.test.helper.ts";

let cli: Cli;
let client: Client;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  client = await connect();
});
afterAll(async () => {
  await client.close();
  await cli.close();
});

async function connect(env: Record<string, string> = {}): Promise<Client> {
  const connected = new Client({ name: "test", version: "1.0.0" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, "mcp"],
    cwd: cli.dir,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: cli.dir,
      WORKFLOW_STORAGE_ROOT: cli.root,
      ...env,
    },
  });
  await connected.connect(transport);
  return connected;
}

async function text(name: string, args: Record<string, unknown>, by = client): Promise<string> {
  const { content, isError } = await by.callTool({ name, arguments: args });
  const [first] = content;
  if (isError === true || first?.type !== "text") throw new Error(JSON.stringify(content));
  return first.text;
}

async function json(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const parsed: Record<string, unknown> = JSON.parse(await text(name, args));
  return parsed;
}

async function failure(name: string, args: Record<string, unknown>): Promise<unknown> {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [first] = content;
  if (isError !== true || first?.type !== "text") throw new Error(JSON.stringify(content));
  return JSON.parse(first.text);
}

async function until(thread: string, status: string): Promise<Record<string, unknown>> {
  for (;;) {
    const shown = await json("thread_show", { thread });
    if (shown.status === status) return shown;
    if (shown.status === "failed") throw new Error(JSON.stringify(shown));
    await sleep(100);
  }
}

async function start(prompt: object): Promise<string> {
  const started = await json("thread_start", { workflow: "steps", prompt: JSON.stringify(prompt) });
  return String(started.threadId);
}

const OLDER = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "older", version: "1" },
};

describe("uncaged-workflow mcp", () => {
  it("offers these tools, and says which change nothing", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ["thread_context", true],
      ["workflow_list", true],
      ["thread_start", false],
      ["thread_list", true],
      ["thread_show", true],
      ["thread_resume", false],
      ["thread_poke", false],
      ["cas_get", true],
      ["cas_put", false],
    ]);
    for (const tool of tools) expect(tool.inputSchema).toMatchObject({ type: "object" });
  });

  it("starts a thread, which runs on its own, and reports its status and conversation", async () => {
    expect(await json("workflow_list", {})).toMatchObject({ workflows: [{ name: "steps" }] });
    const thread = await start({ steps: 3 });
    const shown = await until(thread, "completed");
    expect(shown).toMatchObject({ workflow: "steps", stepCount: 4, result: { returnCode: 0 } });
    const brief = await json("thread_show", { thread, last: 1 });
    expect(brief.steps).toMatchObject([{ round: 4, role: "checker", meta: { ok: true } }]);
    expect(await json("thread_list", { workflow: "steps", limit: 1 })).toMatchObject({
      threads: [{ threadId: thread, status: "completed" }],
    });
    const { stdout } = await cli.run(["thread", "context", thread]);
    expect(await text("thread_context", { thread })).toBe(stdout);
    const page = await cli.run(["thread", "context", thread, "--before", "3"]);
    expect(await text("thread_context", { thread, before: 3 })).toBe(page.stdout);
  });

  it("knows the thread that the agent works in", async () => {
    const thread = await start({ steps: 1 });
    await until(thread, "completed");
    const inside = await connect({ UNCAGED_THREAD_ID: thread });
    try {
      expect(await text("thread_context", {}, inside)).toContain("step 1");
    } finally {
      await inside.close();
    }
    expect(await failure("thread_context", {})).toMatchObject({ error: { code: "USAGE" } });
  });

  it("answers a thread's question, and the thread continues", async () => {
    const thread = await start({ steps: 2, suspendAt: 1 });
    const asked = await until(thread, "suspended");
    expect(asked.suspended).toMatchObject({ message: "Go on after step 1?" });
    expect(await failure("thread_resume", { thread })).toMatchObject({
      error: { code: "TRANSITION_INVALID", hint: expect.stringMatching(/./) },
    });
    await json("thread_resume", { thread, answer: "yes" });
    await until(thread, "completed");
  });

  it("pokes a thread's last step in another process, away from our stdout", async () => {
    const { threadId } = await cli.json<{ threadId: string }>(["run", "steps", "--idle"]);
    await cli.json(["thread", "exec", threadId]);
    const before = await json("thread_show", { thread: threadId });
    const poked = await json("thread_poke", { thread: threadId, prompt: "once more" });
    expect(poked).toMatchObject({ threadId, previousHead: before.head, status: "idle" });
    expect((await json("thread_show", { thread: threadId })).head).toBe(poked.head);
  });

  it("cancels a poke when the client does, and leaves the step unchanged", async () => {
    const prompt = JSON.stringify({ steps: 3, gate: "gate" });
    const idle = ["run", "steps", "--idle", "--prompt", prompt];
    const { threadId: thread } = await cli.json<{ threadId: string }>(idle);
    const gate = join(cli.dir, "gate-1");
    writeFileSync(gate, "");
    await cli.json(["thread", "exec", thread]);
    rmSync(gate);
    const before = await json("thread_show", { thread });
    const began = join(cli.dir, "began");
    const lines = (): number => readFileSync(began, "utf8").split("\n").length;
    const linesBefore = lines();
    const abort = new AbortController();
    const poking = client.callTool(
      { name: "thread_poke", arguments: { thread, prompt: "again" } },
      { signal: abort.signal, timeout: 60_000 },
    );
    const given = poking.then(
      () => "answered",
      () => "given up",
    );
    while (lines() === linesBefore) await sleep(50);
    abort.abort();
    expect(await given).toBe("given up");
    await until(thread, "idle");
    expect((await json("thread_show", { thread })).head).toBe(before.head);
  });

  it("stores a text and returns it, page by page", async () => {
    const long = "Grüße, €. ".repeat(5_000);
    const { hash } = await json("cas_put", { text: long });
    const first = await text("cas_get", { hash, limit: 30_000 });
    expect(first).toContain("[… 20000 more characters; continue at offset 30000 …]");
    const rest = await text("cas_get", { hash, offset: 30_000 });
    expect(first.split("\n[…")[0] + rest).toBe(long);
    expect(
      (await cli.json<{ content: string }>(["cas", "get", "--payload", String(hash)])).content,
    ).toBe(long);
  });

  it("stores a text that looks like an option or a path unchanged", async () => {
    for (const odd of ["-", "--help", "../../x", ""]) {
      const { hash } = await json("cas_put", { text: odd });
      expect(await text("cas_get", { hash })).toBe(odd);
    }
  });

  it.each([
    ["thread_show", { thread: "ZZZZZZ" }, "THREAD_NOT_FOUND"],
    ["thread_start", { workflow: "none", prompt: "" }, "WORKFLOW_NOT_FOUND"],
    ["thread_start", { workflow: "steps", prompt: "", cwd: "/no/such" }, "FILE_NOT_FOUND"],
    ["cas_get", { hash: "../../etc/passwd" }, "USAGE"],
    ["cas_get", { hash: "0000000000000" }, "CAS_MISSING"],
    ["thread_list", { status: "odd" }, "USAGE"],
    ["thread_poke", { thread: "--undo", prompt: "x" }, "THREAD_NOT_FOUND"],
  ])("answers %s %j with the failure that the command line gives: %s", async (name, args, code) => {
    expect(await failure(name, args)).toEqual({
      error: { code, message: expect.stringMatching(/./), hint: expect.any(String) },
    });
  });

  it("ends the connection of a client that sends requests but does not read, and says so", async () => {
    const hash = JSON.parse(await text("cas_put", { text: "y".repeat(4_000_000) })).hash;
    const server = spawn(process.execPath, [BIN, "mcp"], {
      cwd: cli.dir,
      env: { PATH: process.env.PATH, HOME: cli.dir, WORKFLOW_STORAGE_ROOT: cli.root },
    });
    let said = "";
    server.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk;
    });
    const ask = (message: object) =>
      server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    server.stdin.on("error", () => {});
    ask({ id: 1, method: "initialize", params: OLDER });
    ask({ method: "notifications/initialized" });
    for (let id = 2; id < 100; id += 1) {
      const params = { name: "cas_get", arguments: { hash, limit: 4_000_000 } };
      ask({ id, method: "tools/call", params });
    }
    expect(await once(server, "exit")).toEqual([1, null]);
    expect(said).toBe("mcp: the client does not read its answers; closing the connection\n");
  });

  it("ends when its client closes stdin, even before the first message, and prints only the protocol", async () => {
    expect(await cli.run(["mcp"], { stdin: "" })).toEqual({ code: 0, stdout: "", stderr: "" });
    const hello = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: OLDER,
    };
    const ran = await cli.run(["mcp"], { stdin: `${JSON.stringify(hello)}\n` });
    expect(ran.code).toBe(0);
    const lines = ran.stdout.split("\n").filter((line) => line !== "");
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0", id: 1 });
  });
});
