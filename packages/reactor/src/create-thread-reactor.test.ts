import { err, ok } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ChatMessage, LlmFn, ToolCall } from "./chat.ts";
import { createThreadReactor, type ReactRequest } from "./create-thread-reactor.ts";
import { type Repetition, repetition } from "./repetition.ts";
import { NO_USAGE } from "./usage.ts";

const schema = z.object({ n: z.number() });
const tool = { name: "look", description: "", parameters: {} };
const submit = { name: "submit", description: "", parameters: {} };

type Scripted = string | readonly ToolCall[];

function reactorOf(replies: readonly Scripted[], maxRounds = 5, repeats?: Repetition) {
  const seen: (readonly ChatMessage[])[] = [];
  const calls: ToolCall[] = [];
  const llm: LlmFn = async ({ messages }) => {
    seen.push([...messages]);
    const reply = replies[seen.length - 1] ?? "";
    const usage = { ...NO_USAGE, inputTokens: 10 };
    return ok(
      typeof reply === "string"
        ? { text: reply, toolCalls: [], usage }
        : { text: "", toolCalls: reply, usage },
    );
  };
  const react = createThreadReactor({
    llm,
    staticTools: [tool],
    structuredToolFromSchema: () => submit,
    systemPromptForStructuredTool: (name) => `hand in with ${name}`,
    toolHandler: async (call) => {
      calls.push(call);
      if (call.arguments === "boom") throw new Error("it broke");
      return call.arguments === "no" ? { content: "it said no", ok: false } : "42";
    },
    maxRounds,
    repeats,
  });
  const run = (about: Partial<ReactRequest<z.infer<typeof schema>>> = {}) =>
    react({
      schema,
      messages: [{ role: "user", content: "go" }],
      signal: new AbortController().signal,
      ...about,
    });
  return { run, seen, calls };
}

const call = (name: string, text: string): ToolCall => ({
  id: `id-${name}`,
  name,
  arguments: text,
});

describe("createThreadReactor", () => {
  it.each([
    ["plain JSON that matches", '{"n":1}'],
    ["fenced JSON that matches", 'Here:\n```json\n{"n":1}\n```'],
    ["the structured tool's valid arguments", [call("submit", '{"n":1}')]],
  ])("ends with %s", async (_name, reply) => {
    expect(await reactorOf([reply]).run()).toMatchObject({
      ok: true,
      value: { value: { n: 1 }, rounds: 1 },
    });
  });

  it("answers text that does not match with a correction", async () => {
    const { run, seen } = reactorOf(['{"n":"one"}', '{"n":1}']);
    expect(await run()).toMatchObject({
      ok: true,
      value: { rounds: 2, usage: { inputTokens: 20 } },
    });
    expect(seen[1]?.at(-1)).toMatchObject({
      role: "user",
      content: expect.stringContaining("expected number"),
    });
  });

  it("returns results of other tools", async () => {
    const { run, seen, calls } = reactorOf([[call("look", "{}")], '{"n":42}']);
    expect(await run()).toMatchObject({ ok: true, value: { value: { n: 42 } } });
    expect(calls).toHaveLength(1);
    expect(seen[1]?.slice(-2)).toEqual([
      { role: "assistant", content: "", toolCalls: [call("look", "{}")] },
      { role: "tool", toolCallId: "id-look", content: "42" },
    ]);
  });

  it.each([
    [
      "arguments of the structured tool that do not match",
      call("submit", '{"n":"x"}'),
      "expected number",
    ],
    ["arguments that are not JSON", call("submit", '{"n":'), "not JSON"],
    ["a tool that does not exist", call("rm", "{}"), "there is no tool rm"],
    ["a tool that fails", call("look", "boom"), "it broke"],
  ])("tells the model of %s in a tool result", async (_name, bad, says) => {
    const { run, seen } = reactorOf([[bad], '{"n":1}']);
    expect(await run()).toMatchObject({ ok: true });
    expect(seen[1]?.at(-1)).toMatchObject({
      role: "tool",
      toolCallId: bad.id,
      content: expect.stringContaining(says),
    });
  });

  it("answers every call of a round, so that no call is left unanswered", async () => {
    const { run, seen } = reactorOf([[call("look", "{}"), call("submit", "{}")], '{"n":1}']);
    await run();
    expect(seen[1]?.slice(-2).map((message) => message.role)).toEqual(["tool", "tool"]);
  });

  it("gives up after its last round", async () => {
    const { run, seen } = reactorOf([], 3);
    expect(await run()).toEqual({ ok: false, error: "max_react_rounds_exceeded" });
    expect(seen).toHaveLength(3);
  });

  it("passes a failure of the model on", async () => {
    const failed = err({ outcome: "auth", reason: "HTTP 401" } as const);
    const react = createThreadReactor({
      llm: async () => failed,
      staticTools: [],
      structuredToolFromSchema: () => submit,
      systemPromptForStructuredTool: () => "",
      toolHandler: async () => "",
      maxRounds: 3,
    });
    expect(await react({ schema, messages: [], signal: new AbortController().signal })).toEqual(
      failed,
    );
  });
});

describe("createThreadReactor, with several calls in one reply", () => {
  it.each(["boom", "no"])(
    "accepts nothing submitted next to a call that failed: %s",
    async (bad) => {
      const { run, seen } = reactorOf([
        [call("submit", '{"n":1}'), call("look", bad)],
        [call("submit", '{"n":2}')],
      ]);
      expect(await run()).toMatchObject({ ok: true, value: { value: { n: 2 } } });
      expect(seen[1]?.slice(-2)).toMatchObject([
        { toolCallId: "id-submit", content: expect.stringContaining("not taken") },
        { toolCallId: "id-look" },
      ]);
    },
  );

  it("makes the other calls before it ends with the submitted result, wherever that is", async () => {
    const { run, calls } = reactorOf([
      [call("look", "1"), call("submit", '{"n":1}'), call("look", "2")],
    ]);
    expect(await run()).toMatchObject({ ok: true, value: { value: { n: 1 }, rounds: 1 } });
    expect(calls.map((each) => each.arguments)).toEqual(["1", "2"]);
  });

  it("accepts the last of several results that matches", async () => {
    const submits = ['{"n":1}', '{"n":2}', '{"n":"x"}'].map((text) => call("submit", text));
    expect(await reactorOf([submits]).run()).toMatchObject({ value: { value: { n: 2 } } });
  });

  it("makes a limited number at once, and says so for the others", async () => {
    const many = Array.from({ length: 40 }, (_, at) => call("look", String(at)));
    const { run, seen, calls } = reactorOf([many, '{"n":1}']);
    await run();
    expect(calls).toHaveLength(32);
    expect(seen[1]?.slice(-8).every((each) => each.content.includes("only 32 calls"))).toBe(true);
  });
});

describe("createThreadReactor, for a caller that keeps the conversation", () => {
  it("reports a reply before its calls are made, and a round before the next one starts", async () => {
    const { run, seen, calls } = reactorOf([[call("look", "{}")], [call("submit", '{"n":1}')]]);
    const told: string[] = [];
    await run({
      onReply: ({ usage }) => told.push(`reply of ${usage.inputTokens}, ${calls.length} made`),
      onRound: async (added) => {
        await Promise.resolve();
        told.push(`${added.map(({ role }) => role).join(" ")}, ${seen.length} asked`);
      },
    });
    expect(told).toEqual([
      "reply of 10, 0 made",
      "assistant tool, 1 asked",
      "reply of 10, 1 made",
      "assistant tool, 2 asked",
    ]);
  });

  it("reports replies also when the loop fails", async () => {
    let replies = 0;
    const { run } = reactorOf([], 3);
    await run({ onReply: () => void replies++ });
    expect(replies).toBe(3);
  });

  it("ends with a mismatch when the caller says so, and answers its call", async () => {
    const misfits: unknown[] = [];
    const rounds: string[] = [];
    const { run } = reactorOf([[call("submit", '{"n":"x"}')], "I am done."]);
    const done = await run({
      onMisfit: ({ by, value }) => {
        misfits.push([by, value]);
        return by === "text" ? { n: 0 } : null;
      },
      onRound: async (added) => void rounds.push(added.map(({ role }) => role).join(" ")),
    });
    expect(done).toMatchObject({ ok: true, value: { value: { n: 0 }, text: "I am done." } });
    expect(misfits).toEqual([
      ["tool", { n: "x" }],
      ["text", undefined],
    ]);
    expect(rounds).toEqual(["assistant tool", "assistant"]);
  });

  it("makes no further call once it is stopped, answers all, and ends as cancelled", async () => {
    const abort = new AbortController();
    const looks = [call("look", "1"), call("look", "2")];
    const made: string[] = [];
    let added: readonly ChatMessage[] = [];
    const react = createThreadReactor({
      llm: async () => ok({ text: "", toolCalls: looks, usage: NO_USAGE }),
      staticTools: [tool],
      structuredToolFromSchema: () => submit,
      systemPromptForStructuredTool: () => "",
      toolHandler: async (each) => {
        made.push(each.arguments);
        abort.abort();
        return "";
      },
      maxRounds: 3,
    });
    const onRound = async (round: readonly ChatMessage[]) => {
      added = round;
    };
    const done = await react({ schema, messages: [], signal: abort.signal, onRound });
    expect(done).toMatchObject({ ok: false, error: { outcome: "cancelled" } });
    expect(made).toEqual(["1"]);
    expect(added.map(({ content }) => content)).toEqual([
      "",
      "",
      expect.stringContaining("stopped before this call"),
    ]);
  });
});

describe("createThreadReactor, with a model that goes in circles", () => {
  const looks = Array.from({ length: 20 }, () => [call("look", "{}")]);

  it("tells it so, then stops it", async () => {
    const { run, seen, calls } = reactorOf(looks, 20);
    expect(await run()).toEqual({
      ok: false,
      error: { outcome: "crashed", reason: "it made the same tool calls again and again" },
    });
    expect(calls).toHaveLength(9);
    expect(seen.at(-1)?.at(-1)?.content).toContain("You have made this call before");
  });

  it("keeps counting across requests that continue each other", async () => {
    const repeats = repetition();
    await reactorOf(looks, 6, repeats).run();
    const { run, calls } = reactorOf(looks, 6, repeats);
    expect(await run()).toMatchObject({ error: { outcome: "crashed" } });
    expect(calls).toHaveLength(3);
  });
});
