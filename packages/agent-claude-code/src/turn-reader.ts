/** Listens to one turn: makes live events and records of tool calls of it, and remembers what was said last.
 *
 *  1. What the hooks report of a call is its record. A call that they did not report (it was refused, its
 *     input did not fit, or the hook failed) gets one of what the stream says of it. No call has two.
 *  2. Memory holds the calls that are under way and nothing of those that ended. */
import type { AgentEvent, JsonValue, ToolCallRecord } from "@uncaged/workflow-protocol";
import { failedExitCode } from "./call-record.ts";
import { ANSWER_TOOL } from "./control-request.ts";
import { type Block, blocksOf, type StreamMessage } from "./stream-message.ts";
import { type ToolCall, toolCall } from "./tool-call.ts";

export type TurnReader = {
  read(message: Extract<StreamMessage, { type: "assistant" | "user" }>): void;
  /** A hook reported this call. */
  reported(call: ToolCallRecord): void;
  /** The last text of the agent itself, not of its subagents. */
  lastText(): string;
  modelError(): string | null;
};

export function turnReader(opts: {
  emit: (event: AgentEvent) => void;
  seen: (call: ToolCallRecord) => void;
  /** Unix milliseconds. */
  now: () => number;
}): TurnReader {
  const { emit, seen, now } = opts;
  const running = new Map<string, ToolCall & { startedAt: number; reported: boolean }>();
  let lastText = "";
  let modelError: string | null = null;

  const started = (block: Extract<Block, { type: "tool_use" }>): void => {
    const { id, name, input } = block;
    if (name === ANSWER_TOOL) return;
    running.set(id, { ...toolCall(name, input), startedAt: now(), reported: false });
    emit({ type: "tool", phase: "start", id, name, input });
  };
  const ended = (block: Extract<Block, { type: "tool_result" }>): void => {
    const id = block.tool_use_id;
    const call = running.get(id);
    if (call === undefined) return;
    running.delete(id);
    const { name, kind, subject, input, startedAt, reported } = call;
    const ok = !block.is_error;
    emit({ type: "tool", phase: "end", id, name, ok });
    if (reported) return;
    const output = plainText(block.content);
    const exitCode = kind === "execute" && !ok ? failedExitCode(output) : null;
    const timestamp = now();
    const durationMs = timestamp - startedAt;
    seen({ id, name, kind, subject, input, output, ok, exitCode, durationMs, timestamp });
  };
  return {
    read(message) {
      const fromSubagent = (message.parent_tool_use_id ?? null) !== null;
      if (message.type === "assistant" && !fromSubagent) modelError = message.error ?? null;
      for (const block of blocksOf(message.message)) {
        if (block.type === "tool_result") ended(block);
        if (message.type !== "assistant") continue;
        if (block.type === "tool_use") started(block);
        if (block.type === "text" && !fromSubagent) {
          lastText = block.text;
          emit({ type: "text", text: `${block.text}\n` });
        }
      }
    },
    reported(call) {
      const known = running.get(call.id);
      if (known?.reported === true) return;
      if (known !== undefined) known.reported = true;
      seen(call);
    },
    lastText: () => lastText,
    modelError: () => modelError,
  };
}

/** The texts of a tool's result; what is no text, such as a picture, as JSON. */
function plainText(content: JsonValue): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content
    .map((part: JsonValue) => {
      const text = typeof part === "object" && part !== null && "text" in part ? part.text : null;
      return typeof text === "string" ? text : JSON.stringify(part);
    })
    .join("\n");
}
