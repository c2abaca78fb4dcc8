import { err, ok } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ChatMessage, LlmFn, ToolCall } from "./chat.ts";
import { createThreadReactor } from "./create-thread-reactor.ts";
import { NO_USAGE } from "./usage.ts";

const schema = z.object({ n: z.number() });
const tool = { name: "look", description: "", parameters: {} };
const submit = { name: "submit", description: "", parameters: {} };

type Scripted = string | readonly ToolCall[];

function reactorOf(replies: readonly Scripted[], maxRounds = 5) {
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
      return "42";
    },
    maxRounds,
  });
  const run = () =>
    react({
      schema,
      messages: [{ role: "user", content: "go" }],
      signal: new AbortController().signal,
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
    ["plain JSON that fits", '{"n":1}'],
    ["fenced JSON that fits", 'Here:\n```json\n{"n":1}\n```'],
    ["the structured tool's valid arguments", [call("submit", '{"n":1}')]],
  ])("ends with %s", async (_name, reply) => {
    expect(await reactorOf([reply]).run()).toMatchObject({
      ok: true,
      value: { value: { n: 1 }, rounds: 1 },
    });
  });

  it("answers text that does not fit with a correction", async () => {
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

  it("gives results of other tools back", async () => {
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
      "arguments of the structured tool that do not fit",
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

  it("gives up after its rounds", async () => {
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
