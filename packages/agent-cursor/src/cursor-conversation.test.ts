import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent, ToolCallRecord } from "@uncaged/workflow-protocol";
import type { AgentConversation, AgentStep, TurnResult } from "@uncaged/workflow-util-agent";
import {
  type StandInDeed as Deed,
  fakeStep,
  type StandIn,
} from "@uncaged/workflow-util-agent/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cursorDriver } from "./cursor-driver.ts";
import { standIn } from "./stand-in.test.helper.ts";

vi.setConfig({ testTimeout: 30_000 });

const CHAT = "c6b62c6f-7ead-4fd6-9922-e952131177ff";

let folder: string;
let cursor: StandIn;
let events: AgentEvent[];
let calls: ToolCallRecord[];
let stop: AbortController;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cursor's folder "));
  cursor = await standIn(folder);
  [events, calls] = [[], []];
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await rm(folder, { recursive: true });
});

function converse(step: Partial<AgentStep> = {}): Promise<AgentConversation> {
  return cursorDriver({ model: "auto" }, { lingerMs: 300 }).open(
    fakeStep(folder, {
      env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder, CURSOR_API_KEY: "key" },
      signal: stop.signal,
      emit: (event) => events.push(event),
      seen: (call) => calls.push(call),
      ...step,
    }),
  );
}

async function turn(deeds: readonly Deed[], step: Partial<AgentStep> = {}): Promise<TurnResult> {
  return (await converse(step)).turn(JSON.stringify(deeds));
}

const begun = (chat = CHAT): Deed => ({
  say: { type: "system", subtype: "init", session_id: chat },
});
const said = (text: string): Deed => ({
  say: { type: "assistant", message: { content: [{ type: "text", text }] } },
});
const done = (more: object = {}): Deed => ({
  say: {
    type: "result",
    subtype: "success",
    is_error: false,
    result: "",
    session_id: CHAT,
    ...more,
  },
});

describe("a turn", () => {
  it("is what the program says, event by event and call by call", async () => {
    const recorded = await readFile(join(import.meta.dirname, "golden/stream.jsonl"), "utf8");
    expect(await turn([{ raw: recorded }])).toEqual({
      outcome: "ok",
      reason: "",
      sessionLost: false,
      session: CHAT,
      text: "ALL-DONE",
      structured: undefined,
      usage: null,
      rawUsage: null,
      denials: 0,
    });
    expect(
      calls.map(({ kind, subject, ok, exitCode, durationMs }) => [
        kind,
        subject,
        ok,
        exitCode,
        durationMs,
      ]),
    ).toEqual([
      ["read", "/work/README.md", true, null, null],
      ["edit", "/work/a.txt", true, null, null],
      ["execute", "npm test", true, 0, 412],
      ["execute", "npm run lint", false, 2, 30],
    ]);
    expect(calls.map(({ output }) => output).slice(2)).toEqual(["1 passed\n", "1 problem"]);
    expect(events.map(({ type }) => type)).toEqual(
      "text tool tool tool tool tool tool tool text".split(" "),
    );
  });

  it("is started with these arguments, the prompt on stdin, and the key in its environment", async () => {
    await (await converse()).turn("x".repeat(2_000_000));
    const { argv, stdinChars, env } = await cursor.start();
    expect(argv).toEqual([
      "-p",
      "--output-format",
      "stream-json",
      "--force",
      "--trust",
      "--workspace",
      folder,
      "--model",
      "auto",
    ]);
    expect(stdinChars).toBe(2_000_000);
    expect(env.CURSOR_API_KEY).toBe("key");
  });

  it("continues in the chat of the previous turn", async () => {
    const conversation = await converse();
    await conversation.turn(JSON.stringify([begun(), said("one"), done()]));
    await conversation.turn(JSON.stringify([begun(), said("two"), done()]));
    expect((await cursor.start(0)).argv).not.toContain("--resume");
    expect((await cursor.start(1)).argv.slice(-2)).toEqual(["--resume", CHAT]);
  });

  it("ends with its result, also when the program does not exit", async () => {
    const started = Date.now();
    const result = await turn([begun(), said("it"), done(), { hang: true }]);
    expect(result).toMatchObject({ outcome: "ok", text: "it" });
    expect(Date.now() - started).toBeLessThan(5_000);
  });

  it("counts what Cursor's own permissions refused", async () => {
    const rejected: Deed = {
      say: {
        type: "tool_call",
        subtype: "completed",
        call_id: "1",
        tool_call: { shellToolCall: { args: { command: "rm" }, result: { rejected: {} } } },
      },
    };
    expect(await turn([begun(), rejected, done()])).toMatchObject({ denials: 1 });
    expect(events).toContainEqual(expect.objectContaining({ type: "permission", allowed: false }));
  });
});

describe("a lost chat", () => {
  it("is one that Cursor replaces with another", async () => {
    const result = await turn([begun("0ther"), { hang: true }], { session: CHAT });
    expect(result).toMatchObject({ sessionLost: true, session: null });
  });

  it("is one that Cursor does not find", async () => {
    const deeds: Deed[] = [{ stderr: `Chat ${CHAT} not found` }, { exit: 1 }];
    expect(await turn(deeds, { session: CHAT })).toMatchObject({ sessionLost: true });
    expect(await turn(deeds)).toMatchObject({ sessionLost: false, outcome: "crashed" });
  });
});

describe("a turn that failed", () => {
  it.each<[string, string, Deed[]]>([
    ["crashed", "no result", [begun(), said("half"), { exit: 0 }]],
    [
      "crashed",
      "T: this plan has the model auto alone",
      [{ raw: "T: this plan has the model auto alone\n" }, { exit: 1 }],
    ],
    ["auth", "Not logged in", [{ stderr: "Error: Not logged in" }, { exit: 1 }]],
    [
      "rate_limited",
      "usage limit",
      [begun(), done({ is_error: true, result: "You've hit your usage limit" })],
    ],
    ["crashed", "exit code 3", [begun(), { stderr: '{"type":"system"}\noh dear' }, { exit: 3 }]],
  ])("is %s, with its words: %s", async (outcome, words, deeds) => {
    const result = await turn(deeds);
    expect(result.outcome).toBe(outcome);
    expect(result.reason).toContain(words);
    expect(result.reason).not.toContain('"type"');
  });

  it("is a timeout when it is silent, or too slow", async () => {
    const idle = { timeoutMs: null, idleTimeoutMs: 300 };
    expect(await turn([begun(), { hang: true }], { limits: idle })).toMatchObject({
      outcome: "timeout",
    });
    const failed = { type: "result", is_error: true, result: "stopped" };
    const rude = [begun(), { parting: failed }, { hang: true }] as const;
    expect(await turn(rude, { limits: idle })).toMatchObject({ outcome: "timeout" });
    const total = { timeoutMs: 300, idleTimeoutMs: 20_000 };
    expect(await turn([begun(), { hang: true }], { limits: total })).toMatchObject({
      outcome: "timeout",
    });
  });
});

describe("a thread that is stopped", () => {
  it("leaves nothing of the turn", async () => {
    const running = turn([begun(), { deaf: true }, { daemon: true }, { hang: true }]);
    await expect.poll(() => cursor.starts(), { timeout: 5_000 }).toHaveLength(1);
    const { daemon = 0 } = await cursor.start();
    stop.abort();
    expect(await running).toMatchObject({ outcome: "cancelled", session: CHAT });
    const state = await readFile(`/proc/${daemon}/stat`, "utf8").catch(() => ") Z");
    expect(state).toContain(") Z");
  });
});
