/** Reads Codex's output in one turn.
 *
 *  1. Each item is passed on as it arrives: as a live event, and as evidence once it has ended.
 *  2. A command or a patch that the sandbox refused is not an item. Codex mentions some of them on stderr.
 *  3. A turn that cannot reach its model keeps saying so for ever. That is not a sign of life. */
import type { JsonObject } from "@uncaged/workflow-protocol";
import { type AgentStep, jsonLines, type OutputLine } from "@uncaged/workflow-util-agent";
import { type CodexEvent, type CodexItem, type CodexUsage, codexEvent } from "./codex-event.ts";
import type { CodexSandbox } from "./codex-sandbox.ts";
import { type ToolItem, toolCalls, toolUse } from "./tool-calls.ts";

/** Why we end a turn ourselves. */
export type HaltReason = "other_thread" | "unreachable";

export type TurnLog = {
  thread: string | null;
  /** What the agent said last. */
  text: string;
  /** Counters at the end; null: the turn did not finish. */
  end: { usage: CodexUsage; raw: JsonObject } | null;
  /** The latest error. */
  fault: string | null;
  denials: number;
  /** Lines of stdout that are not events. */
  noise: readonly string[];
};

export type TurnReader = {
  onLine: (line: OutputLine) => void | Promise<void>;
  log(): TurnLog;
};

export type TurnScope = {
  step: Pick<AgentStep, "emit" | "seen" | "limits">;
  sandbox: CodexSandbox;
  /** The thread that is resumed. */
  expected: string | null;
  /** Keeps ids of calls distinct between turns. */
  prefix: string;
  halt: (reason: HaltReason) => void;
  /** Where a thread's command ran; null: Codex has not reported it. */
  directoryOf: (
    thread: string | null,
    item: Extract<CodexItem, { type: "command_execution" }>,
  ) => Promise<string | null>;
};

export function turnReader({
  step,
  sandbox,
  expected,
  prefix,
  halt,
  directoryOf,
}: TurnScope): TurnReader {
  const known: Omit<TurnLog, "noise"> = {
    thread: expected,
    text: "",
    end: null,
    fault: null,
    denials: 0,
  };
  let lastProgressMs = performance.now();
  const startedMs = new Map<string, number>();
  const failing = (message: string): void => {
    known.fault = message;
    if (!message.startsWith("Reconnecting")) return;
    step.emit({ type: "retry", reason: message, delayMs: 0 });
    if (performance.now() - lastProgressMs > step.limits.idleTimeoutMs) halt("unreachable");
  };
  const ended = async (item: CodexItem): Promise<void> => {
    if (item.type === "agent_message") {
      known.text = item.text;
      step.emit({ type: "text", text: `${item.text}\n` });
      return;
    }
    const nowMs = Date.now();
    const calls = toolCalls(item, {
      prefix,
      commandKind: sandbox.commandKind,
      startedMs: startedMs.get(item.id) ?? nowMs,
      nowMs,
      cwd: item.type === "command_execution" ? await directoryOf(known.thread, item) : null,
    });
    startedMs.delete(item.id);
    const ok = calls.every((call) => call.ok);
    step.emit({ type: "tool", phase: "end", id: prefix + item.id, name: toolUse(item).name, ok });
    for (const call of calls) step.seen(call);
  };
  const hear = (event: CodexEvent): void | Promise<void> => {
    if (event.type !== "error") lastProgressMs = performance.now();
    switch (event.type) {
      case "error":
        failing(event.message);
        break;
      case "thread.started":
        known.thread = event.thread_id;
        if (expected !== null && event.thread_id !== expected) halt("other_thread");
        break;
      case "item.started":
        if (event.item.type === "agent_message") break;
        startedMs.set(event.item.id, Date.now());
        step.emit(startOf(event.item, prefix));
        break;
      case "item.completed":
        return ended(event.item);
      case "turn.completed":
        known.end = { usage: event.usage, raw: event.raw };
        break;
      case "turn.failed":
        known.fault = event.error.message;
    }
  };
  const denied = (line: string): void => {
    const refusal = REFUSALS.find(({ says }) => says.test(line));
    if (refusal === undefined) return;
    known.denials++;
    const reason = "the role's policy does not allow it";
    step.emit({ type: "permission", tool: refusal.tool, allowed: false, reason });
  };
  const lines = jsonLines((object) => {
    const event = codexEvent(object);
    return event === null ? undefined : hear(event);
  });
  return {
    onLine: (line) => (line.stream === "stderr" ? denied(line.text) : lines.line(line)),
    log: () => ({ ...known, noise: lines.noise().latest }),
  };
}

function startOf(item: ToolItem, prefix: string): Parameters<AgentStep["emit"]>[0] {
  return { type: "tool", phase: "start", id: prefix + item.id, ...toolUse(item) };
}

/** Stderr of Codex 0.169 for a tool call that it refuses. */
const REFUSALS = [
  { says: /error=patch rejected: /, tool: "apply_patch" },
  { says: /error=unsupported call: exec_command/, tool: "shell" },
] as const;
