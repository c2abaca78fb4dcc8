import type { JsonObject, ToolPolicy } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { answerControl, initializeRequest } from "./control-request.ts";

const READER: ToolPolicy = { allow: [{ kind: "read" }], deny: [{ kind: "read", input: "secret" }] };

const PLACE = { storageRoot: "/store", home: "/store/agents/t/coder", cwd: "/work" };

function ask(request: JsonObject, policy: ToolPolicy | null, missing: string[] = []) {
  const { reply, decision, seen } = answerControl(
    { type: "control_request", request_id: "r1", request },
    { step: { policy, ...PLACE }, holdBack: () => missing.shift() ?? null, now: () => 5 },
  );
  const { response } = reply;
  return { response, decision, seen };
}

const permission = (tool_name: string, input: JsonObject) => ({
  subtype: "can_use_tool",
  tool_name,
  input,
  tool_use_id: "t1",
});

const hook = (hook_event_name: string, more: JsonObject) => ({
  subtype: "hook_callback",
  callback_id: hook_event_name,
  input: { hook_event_name, tool_use_id: "t1", ...more },
});

const success = (response: JsonObject) => ({ subtype: "success", request_id: "r1", response });

describe("a request for permission", () => {
  it("is granted, with the input as it is, when the policy allows it", () => {
    expect(ask(permission("Read", { file_path: "/a" }), READER)).toEqual({
      response: success({ behavior: "allow", updatedInput: { file_path: "/a" } }),
      decision: {
        id: "t1",
        tool: "Read",
        allowed: true,
        reason: "allowed by the rule for kind read",
      },
      seen: null,
    });
  });

  it("is refused with the reason, and the turn continues", () => {
    const reason = "Write is not among what this role may use";
    expect(ask(permission("Write", { file_path: "/a" }), READER)).toMatchObject({
      response: success({ behavior: "deny", message: reason, interrupt: false }),
      decision: { allowed: false, reason },
    });
  });

  it("waits for a person where the policy says so, after the hook has passed it on", () => {
    const policy: ToolPolicy = { ask: [{ kind: "execute", command: ["git", "push"] }] };
    const input = { command: "git push" };
    expect(ask(hook("PreToolUse", { tool_name: "Bash", tool_input: input }), policy)).toMatchObject(
      {
        response: { response: { hookSpecificOutput: { permissionDecision: "ask" } } },
        decision: null,
      },
    );
    const { asks } = answerControl(
      { type: "control_request", request_id: "r1", request: permission("Bash", input) },
      { step: { policy, ...PLACE }, holdBack: () => null, now: () => 5 },
    );
    expect(asks).toMatchObject({ name: "Bash", subject: "git push" });
    expect(asks?.decided({ allowed: true, reason: "by alice" })).toMatchObject({
      reply: { response: success({ behavior: "allow", updatedInput: input }) },
      decision: { id: "t1", tool: "Bash", allowed: true, reason: "by alice" },
    });
    expect(asks?.decided({ allowed: false, reason: "no" })).toMatchObject({
      reply: { response: success({ behavior: "deny", message: "no", interrupt: false }) },
    });
    const other = ask(permission("Bash", { command: "git status" }), policy);
    expect(other.response).toMatchObject({ response: { behavior: "allow" } });
  });

  it("is granted for everything when the role has no policy", () => {
    const { response } = ask(permission("Bash", { command: "rm -r ." }), null);
    expect(response).toMatchObject({ response: { behavior: "allow" } });
  });

  it("is granted for the answer itself, whatever the policy", () => {
    const { response, decision } = ask(permission("StructuredOutput", { a: 1 }), { allow: [] });
    expect(response).toMatchObject({ response: { behavior: "allow" } });
    expect(decision).toBeNull();
  });

  it.each([
    ["names no tool", { subtype: "can_use_tool", input: {} }],
    ["is of an unknown kind", { subtype: "elicitation" }],
    ["is a hook's with an event that was not asked for", hook("Notification", {})],
    ["is a hook's without an input", { subtype: "hook_callback" }],
  ])("is answered with an error when it %s", (_why, request) => {
    expect(ask(request, null).response).toMatchObject({ subtype: "error", request_id: "r1" });
  });
});

describe("a hook", () => {
  it("before a tool denies what the policy refuses, and does not comment on the rest", () => {
    const denied = ask(
      hook("PreToolUse", { tool_name: "Read", tool_input: { file_path: "secret" } }),
      READER,
    );
    expect(denied.response).toMatchObject({
      response: { hookSpecificOutput: { permissionDecision: "deny" } },
    });
    expect(denied.decision?.allowed).toBe(false);
    const silent = ask(
      hook("PreToolUse", { tool_name: "Read", tool_input: { file_path: "a" } }),
      READER,
    );
    expect(silent).toEqual({ response: success({}), decision: null, seen: null });
  });

  it("after a tool returns its record", () => {
    const { seen } = ask(
      hook("PostToolUse", {
        tool_name: "Read",
        tool_input: { file_path: "/a" },
        tool_response: "x",
      }),
      null,
    );
    expect(seen).toMatchObject({ id: "t1", subject: "/a", output: "x", timestamp: 5 });
  });

  it("does not treat the answer as a tool of the role", () => {
    const { seen } = ask(
      hook("PostToolUse", { tool_name: "StructuredOutput", tool_input: {} }),
      null,
    );
    expect(seen).toBeNull();
  });

  it("stops the agent from finishing or answering as long as evidence is missing", () => {
    const missing = ["run the tests", "run the tests"];
    expect(ask(hook("Stop", {}), null, missing).response).toEqual(
      success({ decision: "block", reason: "run the tests" }),
    );
    const answer = hook("PreToolUse", { tool_name: "StructuredOutput", tool_input: {} });
    expect(ask(answer, null, missing)).toMatchObject({
      response: { response: { hookSpecificOutput: { permissionDecisionReason: "run the tests" } } },
      decision: null,
    });
    expect(ask(answer, null, missing).response).toEqual(success({}));
    expect(ask(hook("Stop", {}), null, missing).response).toEqual(success({}));
  });
});

describe("the first line to the program", () => {
  it("subscribes to tools and to the end", () => {
    expect(initializeRequest()).toMatchObject({
      request: {
        subtype: "initialize",
        hooks: {
          PreToolUse: [{ hookCallbackIds: ["PreToolUse"] }],
          Stop: [{ hookCallbackIds: ["Stop"] }],
        },
      },
    });
  });
});

it("a role without a policy may not write into the engine's storage, but for its private folder", () => {
  const write = (file_path: string) =>
    ask(hook("PreToolUse", { tool_name: "Write", tool_input: { file_path }, cwd: "/work" }), null);
  expect(write("/store/workflow.yaml").response).toMatchObject({
    response: { hookSpecificOutput: { permissionDecision: "deny" } },
  });
  expect(write("/store/agents/t/coder/memory.md").response).toEqual(success({}));
  expect(write("/work/a.ts").response).toEqual(success({}));
});
