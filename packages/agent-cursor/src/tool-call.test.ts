import type { JsonObject } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { cursorCall, toolCallRecord, wasRejected } from "./tool-call.ts";

function record(call: JsonObject) {
  const read = cursorCall(call);
  if (read === null) throw new Error("it is no call");
  return toolCallRecord(read, { id: "1", nowMs: 5 });
}

describe("a tool call", () => {
  it.each([
    ["shell", { command: "ls" }, "execute", "ls"],
    ["read", { path: "/a" }, "read", "/a"],
    ["edit", { path: "/a" }, "edit", "/a"],
    ["delete", { path: "/a" }, "delete", "/a"],
    ["webFetch", { url: "https://host.example" }, "fetch", "https://host.example"],
    ["grep", { pattern: "x", path: "/a" }, "search", '{"pattern":"x","path":"/a"}'],
    ["updateTodos", { todos: [] }, "think", '{"todos":[]}'],
    ["mcp", { name: "it" }, "other", '{"name":"it"}'],
  ])("by %s is recognized with its kind and its subject", (name, args, kind, subject) => {
    const call = { [`${name}ToolCall`]: { args, result: { success: {} } } };
    expect(record(call)).toMatchObject({ name, kind, subject, input: args });
  });

  it("of a function that Cursor has no key for is of kind `other`", () => {
    const call = { function: { name: "browse", arguments: '{"a":1}' } };
    expect(record(call)).toMatchObject({ name: "browse", kind: "other", ok: false });
  });

  it("failed when it has no success, or when its command did not exit with 0", () => {
    const shell = (result: JsonObject): JsonObject => ({
      shellToolCall: { args: { command: "make" }, result },
    });
    expect(record(shell({ success: { exitCode: 0 } }))).toMatchObject({ ok: true, exitCode: 0 });
    expect(record(shell({ success: { exitCode: 1 } }))).toMatchObject({ ok: false, exitCode: 1 });
    expect(record(shell({ failure: { exitCode: 2, stderr: "no" } }))).toMatchObject({
      ok: false,
      exitCode: 2,
      output: "no",
    });
    // One that continues in the background has not exited.
    expect(record(shell({ success: { stdout: "pid 7" } }))).toMatchObject({
      ok: false,
      exitCode: null,
    });
    expect(record({ editToolCall: { args: { path: "/a" } } })).toMatchObject({ ok: false });
  });

  it("was rejected by Cursor when its result says so", () => {
    const rejected = cursorCall({
      shellToolCall: { args: {}, result: { rejected: { reason: "no" } } },
    });
    const done = cursorCall({ shellToolCall: { args: {}, result: { success: {} } } });
    expect([rejected, done].map((call) => call !== null && wasRejected(call))).toEqual([
      true,
      false,
    ]);
  });

  it.each([[{}], [{ shellToolCall: 7 }], [{ other: { args: {} } }]])(
    "is not recognized: %j",
    (call) => {
      expect(cursorCall(call)).toBeNull();
    },
  );
});
