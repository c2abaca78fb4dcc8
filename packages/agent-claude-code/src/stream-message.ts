/** The lines that Claude Code writes with `--output-format stream-json`, as far as they matter here. A line of
 *  another kind, or with another shape, is null: newer versions write more, and that must not stop anything. */
import type { JsonObject, JsonValue } from "@uncaged/workflow-protocol";
import { z } from "zod";

export type Block =
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: JsonValue }
  | { type: "tool_result"; tool_use_id: string; is_error: boolean; content: JsonValue }
  | { type: "other" };

type Said = {
  message: { content: string | Block[] };
  /** Set for messages of a subagent. */
  parent_tool_use_id?: string | null | undefined;
};

export type ResultMessage = {
  type: "result";
  is_error: boolean;
  subtype: string;
  terminal_reason?: string | null | undefined;
  api_error_status?: number | null | undefined;
  result: string;
  errors: string[];
  structured_output?: JsonValue | undefined;
  session_id?: string | null | undefined;
  modelUsage?: JsonValue | undefined;
  model_usage_since_last_result?: JsonValue | undefined;
};

export type RetryMessage = {
  type: "system";
  subtype: "api_retry";
  error: string;
  error_status?: number | null | undefined;
  retry_delay_ms: number;
};

/** Where an account stands with its plan's limits. `resetsAt`: Unix seconds. */
export type PlanLimitMessage = {
  type: "rate_limit_event";
  rate_limit_info: { status: string; resetsAt?: number | null | undefined };
};

export type ControlRequest = { type: "control_request"; request_id: string; request: JsonValue };

export type StreamMessage =
  | { type: "system"; subtype: "init"; session_id: string }
  | RetryMessage
  | PlanLimitMessage
  /** `error`: the message replaces a model call that failed, with `rate_limit` for example. */
  | (Said & { type: "assistant"; error?: string | null | undefined })
  | (Said & { type: "user" })
  | ResultMessage
  | ControlRequest;

export function parseStreamMessage(object: JsonObject): StreamMessage | null {
  const parsed = MESSAGE.safeParse(object);
  return parsed.success ? parsed.data : null;
}

/** The blocks of a message; plain text is one block. */
export function blocksOf({ content }: { content: string | Block[] }): Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

const BLOCK: z.ZodType<Block> = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.json().default(null),
  }),
  z.object({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    is_error: z.boolean().default(false),
    content: z.json().default(""),
  }),
  z.looseObject({}).transform((): Block => ({ type: "other" })),
]);

const SAID = z.object({
  message: z.object({ content: z.union([z.string(), z.array(BLOCK)]) }),
  parent_tool_use_id: z.string().nullish(),
});

const MESSAGE: z.ZodType<StreamMessage> = z.union([
  z.object({ type: z.literal("system"), subtype: z.literal("init"), session_id: z.string() }),
  z.object({
    type: z.literal("system"),
    subtype: z.literal("api_retry"),
    error: z.string().default("unknown"),
    error_status: z.number().nullish(),
    retry_delay_ms: z.number().nonnegative().default(0),
  }),
  z.object({
    type: z.literal("rate_limit_event"),
    rate_limit_info: z.object({
      status: z.string(),
      resetsAt: z.number().nonnegative().nullish().catch(null),
    }),
  }),
  SAID.extend({ type: z.literal("assistant"), error: z.string().nullish() }),
  SAID.extend({ type: z.literal("user") }),
  z.object({
    type: z.literal("result"),
    is_error: z.boolean(),
    subtype: z.string().default(""),
    terminal_reason: z.string().nullish(),
    api_error_status: z.number().nullish(),
    result: z.string().default(""),
    errors: z.array(z.string()).default([]),
    structured_output: z.json().optional(),
    session_id: z.string().nullish(),
    modelUsage: z.json().optional(),
    model_usage_since_last_result: z.json().optional(),
  }),
  z.object({ type: z.literal("control_request"), request_id: z.string(), request: z.json() }),
]);
