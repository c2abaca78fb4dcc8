import type { ChatCompletionRequest, ChatMessage } from "@copilotkit/aimock";
import { expect, test } from "vitest";
import { HANDED_IN, nextMark } from "./next-mark.ts";

const next = (request: ChatCompletionRequest, failures: Map<string, number>) =>
  nextMark(request, (message) => message, failures);

const prompt = (content: string): ChatMessage => ({ role: "user", content });
const said = (content: string): ChatMessage => ({ role: "assistant", content });

function call(name: string, id: string): ChatMessage {
  const tool = { id, type: "function" as const, function: { name, arguments: "{}" } };
  return { role: "assistant", content: null, tool_calls: [tool] };
}

function request(...messages: ChatMessage[]): ChatCompletionRequest {
  const tool = { type: "function" as const, function: { name: "Bash" } };
  return { model: "any", messages, tools: [tool] };
}

const result = (id: string, content: string): ChatMessage => ({
  role: "tool",
  tool_call_id: id,
  content,
});

test("each answered call takes the next mark, and the last one repeats forever", () => {
  const script = prompt("[[shell:a]] [[text:b]]");
  const failures = new Map<string, number>();
  expect(next(request(script), failures)).toMatchObject({ kind: "shell" });
  expect(next(request(script, said("")), failures)).toMatchObject({ kind: "text" });
  expect(next(request(script, said(""), said("b"), prompt("Again.")), failures)).toMatchObject({
    kind: "text",
  });
});

test("a failing mark fails as often as it says, then the call takes the one after it", () => {
  const failures = new Map<string, number>();
  const kinds = [1, 2, 3].map(() => next(request(prompt("[[429:2]] [[text:b]]")), failures));
  expect(kinds).toMatchObject([{ kind: "429" }, { kind: "429" }, { kind: "text" }]);
});

test("a new prompt with a script starts over", () => {
  const messages = [prompt("[[text:a]]"), said("a"), prompt("[[text:b]]")];
  expect(next(request(...messages), new Map())).toMatchObject({ text: "b" });
});

test("an answer submitted by a tool gets final words, which take no mark", () => {
  const script = prompt('[[json:{"a":1}]] [[text:b]]');
  const handed = [script, call("StructuredOutput", "1"), result("1", "Provided successfully")];
  expect(next(request(...handed), new Map())).toBe("handed in");
  expect(next(request(...handed, said(HANDED_IN), prompt("Go on.")), new Map())).toMatchObject({
    kind: "text",
  });
});

test("a call without tools, for a title for example, is not part of the script", () => {
  const { tools, ...bare } = request(prompt("[[text:a]]"));
  expect(tools).toHaveLength(1);
  expect(next(bare, new Map())).toBeNull();
});
