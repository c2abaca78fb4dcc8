import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent, JsonValue, ToolCallRecord } from "@uncaged/workflow-protocol";
import type { AgentConversation, AgentStep } from "@uncaged/workflow-util-agent";
import { fakeStep } from "@uncaged/workflow-util-agent/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ClaudeCodeConfig } from "./claude-code-config.ts";
import { openConversation } from "./conversation.ts";
import { type Deed, type StandIn, standIn } from "./stand-in.test.helper.ts";

// Programs are started, on machines that have other work to do.
vi.setConfig({ testTimeout: 30_000 });

let folder: string;
let claude: StandIn;
let processTag: string;
let events: AgentEvent[];
let calls: ToolCallRecord[];
let stop: AbortController;
let open: AgentConversation[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "claude's folder "));
  claude = await standIn(folder);
  processTag = `test-${randomUUID()}:1`;
  [events, calls, open] = [[], [], []];
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await Promise.all(open.map((each) => each.close()));
  await rm(folder, { recursive: true });
});

function converse(step: Partial<AgentStep> = {}, config: ClaudeCodeConfig = {}): AgentConversation {
  const conversation = openConversation(
    fakeStep(folder, {
      processTag,
      env: { PATH: process.env.PATH ?? "", HOME: folder, ANTHROPIC_API_KEY: "key" },
      outputSchema: { $schema: "https://dialect.example/", type: "object" },
      limits: { timeoutMs: null, idleTimeoutMs: 60_000 },
      signal: stop.signal,
      emit: (event) => events.push(event),
      seen: (call) => calls.push(call),
      ...step,
    }),
    { command: claude.command, ...config },
  );
  open.push(conversation);
  return conversation;
}

const turn = (deeds: readonly Deed[], step?: Partial<AgentStep>) =>
  converse(step).turn(claude.prompt(deeds));

const said = (text: string, more: object = {}): Deed => ({
  say: { type: "assistant", message: { content: [{ type: "text", text }] }, ...more },
});
const called = (id: string, name: string, input: JsonValue): Deed => ({
  say: { type: "assistant", message: { content: [{ type: "tool_use", id, name, input }] } },
});
const answered = (id: string, content: JsonValue, is_error: boolean): Deed => ({
  say: {
    type: "user",
    message: { content: [{ type: "tool_result", tool_use_id: id, content, is_error }] },
  },
});

/** Every value recorded under this name. */
async function noted(what: string): Promise<JsonValue[]> {
  return (await claude.noted()).flatMap((note) => note[what] ?? []);
}

async function started(): Promise<{ argv: string[]; env: Record<string, string> }> {
  const [first] = await claude.noted();
  return JSON.parse(JSON.stringify(first));
}

async function untilNoted(what: string): Promise<void> {
  await expect.poll(() => noted(what), { timeout: 10_000 }).not.toEqual([]);
}

/** Processes that carry the run's tag. */
async function alive(): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/environ`, "utf8").catch(() => "")),
  );
  return environments.filter((text) => text.includes(processTag)).length;
}

describe("a turn", () => {
  it("ends well with what was said, submitted and counted", async () => {
    const result = await turn([
      said("Half of it."),
      said("a subagent's word", { parent_tool_use_id: "t0" }),
      said("All done."),
      { say: { type: "result", is_error: false, structured_output: { status: "ok" } } },
    ]);
    expect(result).toEqual({
      outcome: "ok",
      reason: "",
      sessionLost: false,
      session: "5e55-1",
      text: "All done.",
      structured: { status: "ok" },
      usage: null,
      rawUsage: null,
      denials: 0,
    });
    expect(events).toEqual([
      { type: "text", text: "Half of it.\n" },
      { type: "text", text: "All done.\n" },
    ]);
  });

  it("is followed by others in the same process, each with its own usage", async () => {
    const conversation = converse();
    const first = await conversation.turn(claude.prompt([said("one")]));
    const second = await conversation.turn(claude.prompt([said("two")]));
    expect([first.text, second.text]).toEqual(["one", "two"]);
    expect(first.usage).toMatchObject({ inputTokens: 100, costUsd: 0.5 });
    expect(second.usage).toMatchObject({ inputTokens: 100, costUsd: 0.5 });
    expect(second.rawUsage).toMatchObject({ model: { inputTokens: 200 } });
    expect(await noted("argv")).toEqual((await started()).argv);
  });

  it("continues in the same session when the process is gone", async () => {
    const conversation = converse();
    const first = await conversation.turn(claude.prompt([{ exit: 1 }]));
    expect(first).toMatchObject({ outcome: "crashed", session: "5e55-1" });
    expect(await conversation.turn(claude.prompt([]))).toMatchObject({ outcome: "ok" });
    expect(await noted("argv")).toContain("--resume");
  });

  it("reports the program's last words when it ends in between", async () => {
    const result = await turn([
      { raw: "a banner\n" },
      { stderr: "\u001b[31moh dear\u001b[0m\n" },
      { exit: 7 },
    ]);
    expect(result.outcome).toBe("crashed");
    expect(result.reason).toContain("exited with code 7");
    expect(result.reason).toContain("a banner");
    expect(result.reason).toContain("oh dear");
  });

  it("resumes a copy of another thread's session, and from then on the copy", async () => {
    const conversation = converse({ session: "other", copiesSession: true });
    const first = await conversation.turn(claude.prompt([{ exit: 1 }]));
    expect(first).toMatchObject({ session: "copy-of-other" });
    expect((await started()).argv).toEqual(
      expect.arrayContaining(["--resume", "other", "--fork-session"]),
    );
    const second = await conversation.turn(claude.prompt([]));
    expect(second).toMatchObject({ outcome: "ok", session: "copy-of-other" });
    const last = (await claude.noted()).findLast((note) => note.argv !== undefined);
    expect(last?.argv).toEqual(expect.arrayContaining(["--resume", "copy-of-other"]));
    expect(last?.argv).not.toContain("--fork-session");
  });

  it("says that a session is lost", async () => {
    expect(await turn([], { session: "lost" })).toMatchObject({
      outcome: "crashed",
      sessionLost: true,
    });
  });

  it("reads 100 MB of non-messages, and a message of 5 MB, to the end", async () => {
    const before = process.memoryUsage.rss();
    const result = await turn([
      { raw: `${"noise ".repeat(20_000)}\n`, times: 850 },
      said("x".repeat(5_000_000)),
    ]);
    expect(result.outcome).toBe("ok");
    expect(result.text).toHaveLength(5_000_000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(300_000_000);
  });

  it("is refused when the prompt is longer than the program accepts", async () => {
    const result = await converse().turn("x".repeat(10_000_001));
    expect(result).toMatchObject({ outcome: "context_overflow", session: null });
    expect(await claude.noted()).toEqual([]);
  });

  it("is not mistaken for a command of the program because its prompt begins with a slash", async () => {
    await converse().turn("/help me");
    expect(await noted("heard")).toContainEqual(
      expect.objectContaining({
        message: { role: "user", content: [{ type: "text", text: "The task:\n\n/help me" }] },
      }),
    );
  });

  it("may come long after the last one: the silence between them is ours", async () => {
    const conversation = converse({ limits: { timeoutMs: null, idleTimeoutMs: 3_000 } });
    await conversation.turn("one");
    await sleep(4_000);
    expect(await conversation.turn("two")).toMatchObject({ outcome: "ok" });
    expect(await noted("argv")).toEqual((await started()).argv);
  });

  it("fails when the program cannot be started", async () => {
    const result = await converse({}, { command: join(folder, "nothing") }).turn("x");
    expect(result.outcome).toBe("crashed");
    expect(result.reason).toContain("nothing");
  });
});

describe("the process", () => {
  it("gets its task on stdin, and none of it in its arguments", async () => {
    await turn([said("in the prompt only")]);
    const { argv, env } = await started();
    expect(argv.join(" ")).not.toContain("in the prompt only");
    expect(argv).toEqual(expect.arrayContaining(["-p", "--json-schema", '{"type":"object"}']));
    expect(env).not.toHaveProperty("VITEST");
    expect(env.CLAUDE_CODE_DISABLE_FILE_MENTIONS).toBe("1");
  });

  it("has its own configuration, with what it must not forget", async () => {
    await turn([]);
    const { argv, env } = await started();
    const home = join(folder, "home");
    expect(env.CLAUDE_CONFIG_DIR).toBe(home);
    const settings = JSON.parse(await readFile(join(home, "run-settings.json"), "utf8"));
    expect(settings.permissions).not.toHaveProperty("ask");
    expect(settings.hooks.PreCompact[0].hooks[0].command).toContain(`claude'\\''s folder`);
    expect(await readFile(join(home, "reminder.txt"), "utf8")).toBe("You are in thread 01KAJ.\n");
    expect(argv).toContain("--strict-mcp-config");
    expect(argv).not.toContain("--setting-sources");
  });

  it("gets the user's login through a link when there is no key", async () => {
    await mkdir(join(folder, ".claude"));
    await writeFile(join(folder, ".claude", ".credentials.json"), "{}");
    await turn([], { env: { PATH: process.env.PATH ?? "", HOME: folder } });
    expect(await readlink(join(folder, "home", ".credentials.json"))).toBe(
      join(folder, ".claude", ".credentials.json"),
    );
  });

  it("keeps a token that it renewed itself", async () => {
    const file = join(folder, "home", ".credentials.json");
    await mkdir(join(folder, "home"));
    await writeFile(file, "renewed");
    await turn([], { env: { PATH: process.env.PATH ?? "", HOME: folder } });
    expect(await readFile(file, "utf8")).toBe("renewed");
  });

  it("has the user's own configuration when the binding says so", async () => {
    await converse({}, { config: "user" }).turn("[]");
    const { argv, env } = await started();
    expect(env).not.toHaveProperty("CLAUDE_CONFIG_DIR");
    expect(argv).not.toContain("--strict-mcp-config");
  });

  it("is told about the servers that it may use in a file", async () => {
    const mcpServers = { engine: { command: "uncaged-workflow", args: ["mcp"] } };
    await converse({}, { mcpServers, model: "sonnet", maxTurns: 5 }).turn("[]");
    const { argv } = await started();
    const file = join(folder, "home", "mcp-servers.json");
    expect(argv.join(" ")).toContain(`--model sonnet --max-turns 5 --mcp-config ${file}`);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ mcpServers });
  });
});

describe("a tool", () => {
  const write = { tool_name: "Write", tool_use_id: "t1" };
  const toWrite = { file_path: "/a" };

  it("that the policy refuses is refused twice, shown, counted once and recorded", async () => {
    const policy = { deny: [{ kind: "edit" as const }] };
    const result = await turn(
      [
        called("t1", "Write", toWrite),
        {
          ask: {
            subtype: "hook_callback",
            input: { ...write, hook_event_name: "PreToolUse", tool_input: toWrite },
          },
        },
        { ask: { subtype: "can_use_tool", ...write, input: toWrite } },
        answered("t1", "no", true),
      ],
      { policy },
    );
    expect(result).toMatchObject({ outcome: "ok", denials: 1 });
    const answers = JSON.stringify(await noted("answer"));
    expect(answers).toContain('"permissionDecision":"deny"');
    expect(answers).toContain('"behavior":"deny"');
    expect(events.filter(({ type }) => type === "permission")).toHaveLength(2);
    expect(calls).toEqual([expect.objectContaining({ id: "t1", ok: false, output: "no" })]);
    const settings = await readFile(join(folder, "home", "run-settings.json"), "utf8");
    expect(JSON.parse(settings).permissions.ask).toEqual(["*"]);
    expect((await started()).argv.join(" ")).toContain("--setting-sources user");
  });

  it("that a hook reported is recorded once, with what the hook said", async () => {
    await turn([
      called("t1", "Bash", { command: "npm test" }),
      {
        ask: {
          subtype: "hook_callback",
          input: {
            hook_event_name: "PostToolUse",
            tool_name: "Bash",
            tool_use_id: "t1",
            tool_input: { command: "npm test" },
            tool_response: { stdout: "fine", stderr: "" },
            duration_ms: 12,
          },
        },
      },
      answered("t1", "fine", false),
    ]);
    expect(calls).toEqual([
      expect.objectContaining({ exitCode: 0, durationMs: 12, output: "fine" }),
    ]);
    expect(events).toMatchObject([
      { type: "tool", phase: "start", id: "t1" },
      { type: "tool", phase: "end", id: "t1", ok: true },
      { type: "usage" },
    ]);
  });

  it("that no hook reported is recorded from the stream, without an unconfirmed success", async () => {
    await turn([
      called("t1", "Bash", { command: "npm test" }),
      answered("t1", [{ type: "text", text: "fine" }], false),
      called("t2", "Bash", { command: "npm test" }),
      answered("t2", "Exit code 2\nred", true),
    ]);
    expect(calls).toMatchObject([
      { id: "t1", ok: true, exitCode: null, output: "fine" },
      { id: "t2", ok: false, exitCode: 2 },
    ]);
  });
});

describe("the end of the agent", () => {
  it("is held back three times in a step while evidence is missing", async () => {
    const ask: Deed = { ask: { subtype: "hook_callback", input: { hook_event_name: "Stop" } } };
    await turn([ask, ask, ask, ask], { stillMissing: () => "run the tests" });
    const answers = JSON.stringify(await noted("answer"));
    expect(answers.split("run the tests")).toHaveLength(4);
  });

  it("shows how long the program waits before it retries", async () => {
    await turn([
      {
        say: {
          type: "system",
          subtype: "api_retry",
          error: "rate_limit",
          error_status: 429,
          retry_delay_ms: 9,
        },
      },
    ]);
    const retry = { type: "retry", reason: "rate_limit (429)", delayMs: 9, retryAfterMs: 9 };
    expect(events[0]).toEqual(retry);
  });

  it("says when the plan's limit that turned it away is reset", async () => {
    const resetsAt = Math.ceil(Date.now() / 1_000) + 3_600;
    const info = (status: string): Deed => ({
      say: { type: "rate_limit_event", rate_limit_info: { status, resetsAt } },
    });
    const refused: Deed = {
      say: {
        ...{ type: "result", subtype: "success", is_error: true, api_error_status: 429 },
        result: "You have hit your limit",
      },
    };
    const { outcome, retryAfterMs = 0 } = await turn([info("rejected"), refused]);
    expect(outcome).toBe("rate_limited");
    expect(Math.abs(retryAfterMs - 3_600_000)).toBeLessThan(60_000);
    expect(await turn([info("allowed_warning"), refused])).not.toHaveProperty("retryAfterMs");
  });
});

describe.runIf(process.platform === "linux")("nothing is left", () => {
  it("when the thread is stopped: the turn is interrupted by the protocol first", async () => {
    const running = turn([{ daemon: true }, said("working"), { hang: true }]);
    await expect.poll(() => events.length, { timeout: 10_000 }).toBeGreaterThan(0);
    expect(await alive()).toBe(2);
    stop.abort();
    expect(await running).toMatchObject({ outcome: "cancelled", session: "5e55-1" });
    expect(JSON.stringify(await noted("heard"))).toContain('"interrupt"');
    expect(await alive()).toBe(0);
  });

  it("when the program ignores signals and interrupts", async () => {
    const running = turn([{ daemon: true }, { deaf: true }, said("working"), { hang: true }]);
    await expect.poll(() => events.length, { timeout: 10_000 }).toBeGreaterThan(0);
    stop.abort();
    expect(await running).toMatchObject({ outcome: "cancelled" });
    expect(await alive()).toBe(0);
  });

  it("when it stops responding", async () => {
    const limits = { timeoutMs: null, idleTimeoutMs: 800 };
    const result = await turn([{ daemon: true }, { hang: true }], { limits });
    expect(result).toMatchObject({ outcome: "timeout" });
    expect(await alive()).toBe(0);
  });

  it("when it reports that as its own failure", async () => {
    const limits = { timeoutMs: null, idleTimeoutMs: 3_000 };
    const result = await turn([{ daemon: true }, { rude: true }, { hang: true }], { limits });
    expect(result).toMatchObject({ outcome: "timeout", session: "5e55-1" });
    expect(await alive()).toBe(0);
  });

  it("when the turn did not end well", async () => {
    const failed = { type: "result", is_error: true, api_error_status: 500, result: "boom" };
    const result = await turn([{ daemon: true }, { say: failed }]);
    expect(result).toMatchObject({ outcome: "crashed", reason: "boom" });
    expect(await alive()).toBe(0);
  });

  it("when it is killed", async () => {
    const running = turn([{ daemon: true }, { ask: { subtype: "can_use_tool" } }, { hang: true }]);
    await untilNoted("answer");
    await killProgram();
    expect(await running).toMatchObject({ outcome: "crashed", session: "5e55-1" });
    expect(await alive()).toBe(0);
  });

  it("when the conversation is closed after its last turn", async () => {
    const conversation = converse();
    await conversation.turn(claude.prompt([{ daemon: true }]));
    expect(await alive()).toBe(2);
    await conversation.close();
    expect(await alive()).toBe(0);
  });
});

async function killProgram(): Promise<void> {
  for (const pid of await readdir("/proc")) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (command.includes(claude.command)) process.kill(Number(pid), "SIGKILL");
  }
}
