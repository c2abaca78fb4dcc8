/** Requests that Claude Code sends us while it works, over its own stdin and stdout.
 *
 *  1. A tool may run when the role's policy allows it; without a policy every tool may. No tool may write to the
 *     engine's storage. The same answer is given twice: before the tool is considered (`PreToolUse`) and when
 *     permission is requested (`can_use_tool`). The second fails closed: Claude Code waits for it, and a closed stdin
 *     is a refusal.
 *     A call about which a person has to decide is passed on to the second, whose answer may take long.
 *  2. The tool with which the agent submits its answer is its own channel, not a tool of the role.
 *  3. Before the agent stops it is told what evidence is still missing, as often as `holdBack` says.
 *  4. An unknown request is answered with an error: the agent neither waits for ever nor takes silence for a yes. */
import type { JsonObject, JsonValue, Permission, ToolCallRecord } from "@uncaged/workflow-protocol";
import { callVerdict, type JudgedStep, type PolicyVerdict } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import { callRecord } from "./call-record.ts";
import { parseHookInput } from "./hook-input.ts";
import type { ControlRequest } from "./stream-message.ts";
import { toolCall } from "./tool-call.ts";

/** Its own tool for submitting an answer that has a schema. */
export const ANSWER_TOOL = "StructuredOutput";

export type ControlRules = {
  step: JudgedStep;
  /** What to tell the agent instead of letting it stop; null: it may stop. */
  holdBack: () => string | null;
  /** Unix milliseconds. */
  now: () => number;
};

export type ControlAnswer = {
  /** The line to write back. */
  reply: JsonObject;
  /** To write back instead, once a person has decided about this call; null: nobody has to. */
  asks: { name: string; subject: string; decided: (by: Permission) => ControlAnswer } | null;
  /** A decision about a tool that is worth showing. */
  decision: { id: string; tool: string; allowed: boolean; reason: string } | null;
  /** A tool call that has ended. */
  seen: ToolCallRecord | null;
  /** A tool call that is about to begin: the directory of its shell. */
  begins: { id: string; cwd: string } | null;
};

export function answerControl(
  { request_id, request }: ControlRequest,
  rules: ControlRules,
): ControlAnswer {
  const parsed = REQUEST.safeParse(request);
  const fail = (error: string): ControlAnswer => ({
    ...NOTHING,
    reply: { type: "control_response", response: { subtype: "error", request_id, error } },
  });
  if (!parsed.success) return fail("the workflow engine does not know this request");
  const succeed = ({ response, ...rest }: Answer): ControlAnswer => ({
    ...NOTHING,
    ...rest,
    reply: { type: "control_response", response: { subtype: "success", request_id, response } },
  });
  const asked = parsed.data;
  if (asked.subtype !== "can_use_tool") {
    const answer = hookAnswer(asked.input, rules);
    return answer === null
      ? fail("the workflow engine does not know this hook input")
      : succeed(answer);
  }
  const verdict = verdictOn(asked.tool_name, asked.input, rules);
  const answer = succeed(permission(asked, verdict));
  if (verdict.asks !== true) return answer;
  const { name, subject } = toolCall(asked.tool_name, asked.input);
  const decided = (by: Permission): ControlAnswer => succeed(permission(asked, by));
  return { ...answer, decision: null, asks: { name, subject, decided } };
}

/** First line to the agent: the hooks that we subscribe to. */
export function initializeRequest(): JsonObject {
  const hooks = Object.fromEntries(HEARD.map((event) => [event, [{ hookCallbackIds: [event] }]]));
  return controlRequest("initialize", { subtype: "initialize", hooks });
}

/** Ends the running turn. */
export function interruptRequest(): JsonObject {
  return controlRequest("interrupt", { subtype: "interrupt" });
}

const HEARD = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop"];

const NOTHING = { asks: null, decision: null, seen: null, begins: null };

function controlRequest(request_id: string, request: JsonObject): JsonObject {
  return { type: "control_request", request_id, request };
}

type Answer = Partial<Omit<ControlAnswer, "reply" | "asks">> & { response: JsonObject };

type Asked = Extract<z.infer<typeof REQUEST>, { subtype: "can_use_tool" }>;

function permission({ tool_name, tool_use_id, input }: Asked, verdict: Permission): Answer {
  const { allowed, reason } = verdict;
  const shown = { id: tool_use_id, tool: tool_name, allowed, reason };
  return {
    decision: tool_name === ANSWER_TOOL ? null : shown,
    response: verdict.allowed
      ? { behavior: "allow", updatedInput: input }
      : { behavior: "deny", message: verdict.reason, interrupt: false },
  };
}

function hookAnswer(raw: JsonValue, rules: ControlRules): Answer | null {
  const input = parseHookInput(raw);
  switch (input?.hook_event_name) {
    case undefined:
      return null;
    case "PreToolUse": {
      const { tool_name, tool_use_id, tool_input, cwd } = input;
      const begins = cwd == null ? null : { id: tool_use_id, cwd };
      // The agent stops with its answer, so `Stop` comes too late to hold it back.
      const missing = tool_name === ANSWER_TOOL ? rules.holdBack() : null;
      if (missing !== null) return { response: denial(missing) };
      const verdict = verdictOn(tool_name, tool_input, rules);
      if (verdict.allowed) return { begins, response: {} };
      const { allowed, reason } = verdict;
      if (verdict.asks === true) return { begins, response: permissionDecision("ask", reason) };
      return {
        decision: { id: tool_use_id, tool: tool_name, allowed, reason },
        response: denial(reason),
      };
    }
    case "PostToolUse":
    case "PostToolUseFailure":
      return {
        seen: input.tool_name === ANSWER_TOOL ? null : callRecord(input, rules.now()),
        response: {},
      };
    case "Stop": {
      const missing = rules.holdBack();
      return { response: missing === null ? {} : { decision: "block", reason: missing } };
    }
  }
}

function denial(reason: string): JsonObject {
  return permissionDecision("deny", reason);
}

function permissionDecision(decision: "deny" | "ask", reason: string): JsonObject {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: decision,
      permissionDecisionReason: reason,
    },
  };
}

function verdictOn(tool: string, input: JsonValue, { step }: ControlRules): PolicyVerdict {
  if (tool === ANSWER_TOOL) return { allowed: true, reason: "the agent's answer" };
  return callVerdict(step, toolCall(tool, input));
}

const REQUEST = z.discriminatedUnion("subtype", [
  z.object({
    subtype: z.literal("can_use_tool"),
    tool_name: z.string(),
    tool_use_id: z.string().default(""),
    input: z.json(),
  }),
  z.object({ subtype: z.literal("hook_callback"), input: z.json() }),
]);
