/** The lines printed by `codex exec --json`, as far as they are used. */
import type { JsonObject, JsonValue } from "@uncaged/workflow-protocol";
import { z } from "zod";

export type CodexUsage = {
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
};

export type CodexItem =
  | { id: string; type: "agent_message"; text: string }
  | {
      id: string;
      type: "command_execution";
      command: string;
      aggregated_output: string;
      exit_code: number | null;
    }
  | {
      id: string;
      type: "file_change";
      changes: readonly { path: string; kind: string }[];
      status: string;
    }
  | {
      id: string;
      type: "mcp_tool_call";
      server: string;
      tool: string;
      arguments: JsonValue;
      result: JsonValue;
      status: string;
    }
  | { id: string; type: "web_search"; query: string };

export type CodexEvent =
  | { type: "thread.started"; thread_id: string }
  | { type: "item.started"; item: CodexItem }
  | { type: "item.completed"; item: CodexItem }
  /** Counters of the whole thread. */
  | { type: "turn.completed"; usage: CodexUsage; raw: JsonObject }
  | { type: "turn.failed"; error: { message: string } }
  /** An error along the way; the turn may continue. */
  | { type: "error"; message: string };

/** Null: a line that does not matter, or from a later version. */
export function codexEvent(line: JsonObject): CodexEvent | null {
  const parsed = EVENT.safeParse(line);
  if (!parsed.success) return null;
  const event = parsed.data;
  if (event.type === "turn.completed") return { ...event, raw: objectAt(line, "usage") };
  return event;
}

/** The counters as Codex last reported them; null: these are not counters. */
export function codexUsage(raw: JsonValue | null): CodexUsage | null {
  return USAGE.safeParse(raw).data ?? null;
}

function objectAt(line: JsonObject, key: string): JsonObject {
  const value = line[key];
  return typeof value === "object" && value !== null && !isList(value) ? value : {};
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

const count = z.number().nonnegative();
const json = z.custom<JsonValue>().default(null);

const USAGE = z.object({
  input_tokens: count,
  cached_input_tokens: count.default(0),
  output_tokens: count,
});

const ITEM = z.discriminatedUnion("type", [
  z.object({ id: z.string(), type: z.literal("agent_message"), text: z.string() }),
  z.object({
    id: z.string(),
    type: z.literal("command_execution"),
    command: z.string(),
    aggregated_output: z.string().default(""),
    exit_code: z.number().nullable().default(null),
  }),
  z.object({
    id: z.string(),
    type: z.literal("file_change"),
    changes: z.array(z.object({ path: z.string(), kind: z.string() })),
    status: z.string(),
  }),
  z.object({
    id: z.string(),
    type: z.literal("mcp_tool_call"),
    server: z.string(),
    tool: z.string(),
    arguments: json,
    result: json,
    status: z.string(),
  }),
  z.object({ id: z.string(), type: z.literal("web_search"), query: z.string() }),
]);

const EVENT = z.discriminatedUnion("type", [
  z.object({ type: z.literal("thread.started"), thread_id: z.string() }),
  z.object({ type: z.literal("item.started"), item: ITEM }),
  z.object({ type: z.literal("item.completed"), item: ITEM }),
  z.object({ type: z.literal("turn.completed"), usage: USAGE }),
  z.object({ type: z.literal("turn.failed"), error: z.object({ message: z.string() }) }),
  z.object({ type: z.literal("error"), message: z.string() }),
]);
