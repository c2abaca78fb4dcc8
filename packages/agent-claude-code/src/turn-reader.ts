/** Reads one turn: turns it into live events and records of tool calls, and remembers what was said last.
 *
 *  1. What the hooks report about a call is its record. A call that they did not report (it was refused, its input
 *     was invalid, or the hook failed) gets a record from what the stream says about it. No call has two.
 *  2. Memory holds the calls that are under way, and nothing of those that have ended. */
import type { AgentEvent, JsonValue, ToolCallRecord } from "@uncaged/workflow-protocol";
import { failedExitCode } from "./call-record.ts";
import { ANSWER_TOOL } from "./control-request.ts";
import { type Block, blocksOf, type StreamMessage } from "./stream-message.ts";
import { type ToolCall, toolCall } from "./tool-call.ts";

export type TurnReader = {
  read(message: Extract<StreamMessage, { type: "assistant" | "user" }>): void;
  /** A call begins, with its shell in this directory. */
  begins(about: { id: string; cwd: string }): void;
  /** A hook reported this call. */
  reported(call: ToolCallRecord): void;
  /** The last text of the agent itself, not of its subagents. */
  lastText(): string;
  modelError(): string | null;
};

export function turnReader(opts: {
  emit: (event: AgentEvent) => void;
  seen: (call: ToolCallRecord) => void;
  /** The policy refused the call with this id. */
  wasRefused: (id: string) => boolean;
  /** Unix milliseconds. */
  now: () => number;
}): TurnReader {
  const { emit, seen, wasRefused, now } = opts;
  const running = new Map<string, RunningCall>();
  let lastText = "";
  let modelError: string | null = null;

  const started = (
    { id, name, input }: Extract<Block, { type: "tool_use" }>,
    subagent: string | null,
  ): void => {
    if (name === ANSWER_TOOL) return;
    const call = { ...toolCall(name, input), startedAt: now(), reported: false };
    running.set(id, { ...call, where: subagent === null ? {} : { subagent } });
    emit({ type: "tool", phase: "start", id, name, input });
  };
  const ended = (block: Extract<Block, { type: "tool_result" }>): void => {
    const id = block.tool_use_id;
    const call = running.get(id);
    if (call === undefined) return;
    running.delete(id);
    const { name, kind, subject, input, startedAt, reported, where } = call;
    const ok = !block.is_error;
    emit({ type: "tool", phase: "end", id, name, ok });
    if (reported) return;
    const output = plainText(block.content);
    const exitCode = kind === "execute" && !ok ? failedExitCode(output) : null;
    const timestamp = now();
    const durationMs = timestamp - startedAt;
    const about = wasRefused(id) ? { ...where, refused: true } : where;
    seen({ id, name, kind, subject, input, output, ok, exitCode, durationMs, timestamp, ...about });
  };
  return {
    read(message) {
      const subagent = message.parent_tool_use_id ?? null;
      const fromSubagent = subagent !== null;
      if (message.type === "assistant" && !fromSubagent) modelError = message.error ?? null;
      for (const block of blocksOf(message.message)) {
        if (block.type === "tool_result") ended(block);
        if (message.type !== "assistant") continue;
        if (block.type === "tool_use") started(block, subagent);
        if (block.type === "text" && !fromSubagent) {
          lastText = block.text;
          emit({ type: "text", text: `${block.text}\n` });
        }
      }
    },
    begins({ id, cwd }) {
      const known = running.get(id);
      if (known !== undefined) known.where = { ...known.where, cwd };
    },
    reported(call) {
      const known = running.get(call.id);
      if (known?.reported === true) return;
      if (known !== undefined) known.reported = true;
      // After a command its shell may be elsewhere.
      seen({ ...call, ...known?.where });
    },
    lastText: () => lastText,
    modelError: () => modelError,
  };
}

type RunningCall = ToolCall & {
  startedAt: number;
  reported: boolean;
  where: Pick<ToolCallRecord, "cwd" | "subagent">;
};

/** The texts of a tool's result; anything else, such as an image, as JSON. */
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
