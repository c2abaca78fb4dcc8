import { mkdir, mkdtemp, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgentEvent,
  agentFaultOf,
  type JsonObject,
  type ToolCallRecord,
} from "@uncaged/workflow-protocol";
import type { AgentStep, TurnResult } from "@uncaged/workflow-util-agent";
import {
  type StandInDeed as Deed,
  fakeStep,
  type StandIn,
} from "@uncaged/workflow-util-agent/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CodexConfig } from "./codex-config.ts";
import { openCodex } from "./codex-conversation.ts";
import { standIn } from "./stand-in.test.helper.ts";

vi.setConfig({ testTimeout: 30_000 });

const THREAD = "01a1feee-271a-7c53-98a4-2c3c8503dfba";

let folder: string;
let codex: StandIn;
let events: AgentEvent[];
let calls: ToolCallRecord[];
let stop: AbortController;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "codex's folder "));
  codex = await standIn(folder);
  [events, calls] = [[], []];
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await rm(folder, { recursive: true });
});

function converse(step: Partial<AgentStep> = {}, config: CodexConfig = {}) {
  const config_ = { command: codex.command, ...config };
  return openCodex(
    config_,
    fakeStep(folder, {
      signal: stop.signal,
      emit: (event) => events.push(event),
      seen: (call) => calls.push(call),
      ...step,
    }),
  );
}

async function turn(
  deeds: readonly Deed[],
  step: Partial<AgentStep> = {},
  config: CodexConfig = {},
): Promise<TurnResult> {
  return (await converse(step, config)).turn(JSON.stringify(deeds));
}

const started = (thread = THREAD): Deed => ({ say: { type: "thread.started", thread_id: thread } });
const said = (text: string): Deed => ({
  say: { type: "item.completed", item: { id: "item_1", type: "agent_message", text } },
});
const counted = (input: number): Deed => ({
  say: { type: "turn.completed", usage: { input_tokens: input, output_tokens: input / 10 } },
});
const failed = (message: string): Deed => ({ say: { type: "turn.failed", error: { message } } });
const retrying: JsonObject = { type: "error", message: "Reconnecting... waiting for network" };

describe("a turn", () => {
  it("is what the real program says, event by event and call by call", async () => {
    const file = join(import.meta.dirname, "golden/codex-0.169.jsonl");
    const recorded = await readFile(file, "utf8");
    const result = await turn([{ raw: recorded }]);
    expect(result).toEqual({
      outcome: "ok",
      reason: "",
      sessionLost: false,
      session: THREAD,
      text: "ALL-DONE",
      structured: undefined,
      usage: { inputTokens: 4000, outputTokens: 200, cachedInputTokens: 200, costUsd: null },
      rawUsage: {
        input_tokens: 4000,
        cached_input_tokens: 200,
        cache_write_input_tokens: 0,
        output_tokens: 200,
        reasoning_output_tokens: 20,
      },
      denials: 0,
    });
    expect(
      calls.map(({ id, kind, subject, ok, exitCode }) => [id, kind, subject, ok, exitCode]),
    ).toEqual([
      ["1.item_2", "execute", "cat out.txt", true, 0],
      ["1.item_3", "execute", "false", false, 1],
      ["1.item_4.0", "delete", "/work/a.txt", true, null],
      ["1.item_4.1", "edit", "/work/sub/b.txt", true, null],
    ]);
    expect(calls[0]?.output).toBe("hi\n");
    expect(events.map(({ type }) => type)).toEqual(
      "text tool tool tool tool tool tool retry text usage".split(" "),
    );
  });

  it("gets a prompt of 2 MB on stdin, and none of it in its arguments", async () => {
    const prompt = "x".repeat(2_000_000);
    await (await converse()).turn(prompt);
    const { argv, stdinChars, cwd } = await codex.start();
    expect(stdinChars).toBe(prompt.length);
    expect(argv.at(-1)).toBe("-");
    expect(cwd).toBe(folder);
  });

  it("writes the schema to its own folder, for models that can enforce it", async () => {
    const outputSchema = {
      type: "object",
      properties: {},
      required: [],
      additionalProperties: false,
    };
    await turn([started(), counted(10)], { outputSchema });
    const { argv } = await codex.start();
    const file = argv[argv.indexOf("--output-schema") + 1] ?? "";
    expect(file).toBe(join(folder, "home", "output-schema.json"));
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(outputSchema);
  });

  it("continues in the session of the previous turn, and counts only its own tokens", async () => {
    const conversation = await converse({
      session: THREAD,
      previousRawUsage: { input_tokens: 100, output_tokens: 10 },
    });
    const first = await conversation.turn(JSON.stringify([started(), said("one"), counted(300)]));
    const second = await conversation.turn(JSON.stringify([started(), said("two"), counted(350)]));
    expect([first.usage?.inputTokens, second.usage?.inputTokens]).toEqual([200, 50]);
    for (const at of [0, 1]) {
      expect((await codex.start(at)).argv.slice(-3)).toEqual(["resume", THREAD, "-"]);
    }
  });

  it("does not grow with what is printed", async () => {
    const before = process.memoryUsage().rss;
    const result = await turn([
      { raw: `${"noise ".repeat(20_000)}\n`, times: 800 },
      started(),
      said("after the flood"),
      counted(10),
    ]);
    expect(result).toMatchObject({ outcome: "ok", text: "after the flood" });
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });
});

describe("its configuration", () => {
  it("is a private folder with the user's login lent to it", async () => {
    await mkdir(join(folder, ".codex"));
    await writeFile(join(folder, ".codex", "auth.json"), "{}");
    await turn([started(), counted(10)]);
    const home = join(folder, "home");
    expect((await codex.start()).env.CODEX_HOME).toBe(home);
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    expect(await readlink(join(home, "auth.json"))).toBe(join(folder, ".codex", "auth.json"));
    // A later step finds its folder as the earlier one left it.
    expect((await turn([started(), counted(10)])).outcome).toBe("ok");
  });

  it("is the user's own when the binding says so", async () => {
    await turn([started(), counted(10)], {}, { config: "user" });
    expect((await codex.start()).env).not.toHaveProperty("CODEX_HOME");
  });

  it("is refused for a policy that it could not enforce, before anything starts", async () => {
    const policy = { deny: [{ kind: "execute", input: "rm" }] } as const;
    const refused = await converse({ policy }).catch((thrown: unknown) => agentFaultOf(thrown));
    expect(refused).toMatchObject({ outcome: "denied" });
    expect(await codex.starts()).toEqual([]);
  });

  it("is the read-only sandbox for a role that may only read", async () => {
    await turn([started(), counted(10)], {
      policy: { allow: [{ kind: "read" }, { kind: "search" }] },
    });
    const { argv } = await codex.start();
    expect(argv[argv.indexOf("--sandbox") + 1]).toBe("read-only");
  });
});

describe("a refused call", () => {
  it("is counted and shown", async () => {
    const log = "2026-11-21T16:30:11Z ERROR codex_core::tools::router: error=";
    const result = await turn([
      started(),
      { stderr: `${log}patch rejected: writing is blocked by read-only sandbox` },
      { stderr: `${log}unsupported call: exec_command` },
      counted(10),
    ]);
    expect(result).toMatchObject({ outcome: "ok", denials: 2 });
    const shown = events.filter(({ type }) => type === "permission");
    expect(shown).toMatchObject([{ tool: "apply_patch", allowed: false }, { tool: "shell" }]);
  });
});

describe("a lost session", () => {
  it.each<[string, string, Deed[]]>([
    [
      "that Codex does not know",
      THREAD,
      [
        {
          stderr: `Error: thread/resume: thread/resume failed: no rollout found for thread id ${THREAD}`,
        },
        { exit: 1 },
      ],
    ],
    [
      "which it replaces with another",
      THREAD,
      [started("01a1feee-0000-7c53-98a4-2c3c8503dfba"), { hang: true }],
    ],
  ])("is one %s", async (_name, session, deeds) => {
    const result = await turn(deeds, { session });
    expect(result).toMatchObject({ sessionLost: true, session: null, outcome: "crashed" });
  });

  it("is one with an id that Codex would take for a name, and is not tried", async () => {
    expect(await turn([], { session: "some-name" })).toMatchObject({ sessionLost: true });
    expect(await codex.starts()).toEqual([]);
  });
});

describe("a turn that failed", () => {
  it.each<[string, string, Deed[]]>([
    ["rate_limited", "429", [failed("exceeded retry limit, last status: 429 Too Many Requests")]],
    ["auth", "LAB_KEY", [failed("Missing environment variable: `LAB_KEY`."), { exit: 1 }]],
    [
      "context_overflow",
      "input_too_large",
      [
        {
          stderr:
            'Error: turn/start failed: Input exceeds it, data: {"input_error_code":"input_too_large"}\n\nStack backtrace:\n   0: <unknown>',
        },
        { exit: 1 },
      ],
    ],
    ["crashed", "high demand", [failed("We are currently experiencing high demand."), { exit: 1 }]],
    ["crashed", "exit code 101", [{ stderr: "thread 'main' panicked" }, { exit: 101 }]],
    ["crashed", "did not say why", [said("half an answer")]],
    ["crashed", "out of tea", [{ raw: "out of tea\n" }, { exit: 1 }]],
  ])("is %s, with its words: %s", async (outcome, words, deeds) => {
    const result = await turn([started(), ...deeds]);
    expect(result).toMatchObject({ outcome, session: THREAD, sessionLost: false, usage: null });
    expect(result.reason).toContain(words);
    expect(result.reason).not.toContain("<unknown>");
  });

  it("is crashed when there is no such program, with a hint", async () => {
    const result = await turn([], {}, { command: "no-such-codex" });
    expect(result).toMatchObject({ outcome: "crashed" });
    expect(result.reason).toContain("npm install -g @openai/codex");
  });

  it("is a timeout when it is silent, or only says that it retries", async () => {
    // Longer than a program takes to start on a busy machine.
    const limits = { timeoutMs: null, idleTimeoutMs: 3_000 };
    expect(await turn([started(), { hang: true }], { limits })).toMatchObject({
      outcome: "timeout",
      reason: expect.stringContaining("silent"),
    });
    const again = await turn([started(), { repeat: retrying, everyMs: 100 }], { limits });
    expect(again).toMatchObject({
      outcome: "timeout",
      reason: expect.stringContaining("could not reach its model"),
    });
  });

  it("is a timeout when the step's time is up", async () => {
    const limits = { timeoutMs: 300, idleTimeoutMs: 20_000 };
    expect(
      await turn([started(), { repeat: { type: "turn.started" }, everyMs: 50 }], { limits }),
    ).toMatchObject({
      outcome: "timeout",
    });
  });
});

describe("a thread that is stopped", () => {
  it("leaves nothing of the turn, not even what ignores signals or left its group", async () => {
    const running = turn([started(), { deaf: true }, { daemon: true }, { hang: true }]);
    await expect.poll(() => codex.starts(), { timeout: 5_000 }).toHaveLength(1);
    const { daemon = 0 } = await codex.start();
    stop.abort();
    expect(await running).toMatchObject({ outcome: "cancelled", session: THREAD });
    const state = await readFile(`/proc/${daemon}/stat`, "utf8").catch(() => ") Z");
    expect(state).toContain(") Z");
  });
});
