/** What an agent sends during a turn, parsed at the border. Agents differ, and extend the protocol: an invalid part
 *  counts as absent, and never fails the whole. */
import {
  type JsonObject,
  type JsonValue,
  TOOL_KINDS,
  type ToolKind,
  toJsonObject,
} from "@uncaged/workflow-protocol";
import { z } from "zod";

/** An update of a tool call: whatever is null or missing has not changed. */
export type ToolCallNews = {
  toolCallId: string;
  title?: string | null | undefined;
  name?: string | null | undefined;
  kind?: ToolKind | null | undefined;
  status?: "pending" | "in_progress" | "completed" | "failed" | null | undefined;
  content?: (JsonObject | null)[] | null | undefined;
  locations?: (JsonObject | null)[] | null | undefined;
  rawInput: JsonValue | null;
  rawOutput: JsonValue | null;
  _meta: JsonObject | null;
};

/** The relevant part of the protocol. */
type SessionUpdate =
  | {
      sessionUpdate: "agent_message_chunk";
      messageId?: string | null | undefined;
      content: { type: "text"; text: string };
    }
  | ({ sessionUpdate: "tool_call" | "tool_call_update" } & ToolCallNews)
  | { sessionUpdate: "usage_update"; cost: { amount: number; currency: "USD" } }
  | { sessionUpdate: "session_info_update"; _meta: JsonObject | null };

export type SessionNews = { sessionId: string; update: SessionUpdate };

export type PermissionRequest = {
  sessionId: string;
  toolCall: ToolCallNews;
  options: { optionId: string; kind: string }[];
};

/** Null: nothing relevant, or nothing readable. */
export function parseSessionNews(params: unknown): SessionNews | null {
  return news.safeParse(params).data ?? null;
}

/** Null: the request cannot be read. */
export function parsePermissionRequest(params: unknown): PermissionRequest | null {
  return permission.safeParse(params).data ?? null;
}

const text = z.string().nullish().catch(null);
const json: z.ZodType<JsonValue | null> = z
  .unknown()
  .optional()
  .transform((value) => toJsonObject({ value })?.value ?? null);
const object: z.ZodType<JsonObject | null> = z.unknown().optional().transform(toJsonObject);

const kind = z
  .union([z.enum(TOOL_KINDS), z.string().transform(() => "other" as const)])
  .nullish()
  .catch(null);

const toolCall = z.object({
  toolCallId: z.string(),
  title: text,
  name: text,
  kind,
  status: z.enum(["pending", "in_progress", "completed", "failed"]).nullish().catch(null),
  content: z.array(object).nullish().catch(null),
  locations: z.array(object).nullish().catch(null),
  rawInput: json,
  rawOutput: json,
  _meta: object,
});

const update = z.discriminatedUnion("sessionUpdate", [
  z.object({
    sessionUpdate: z.literal("agent_message_chunk"),
    messageId: text,
    content: z.object({ type: z.literal("text"), text: z.string() }),
  }),
  toolCall.extend({ sessionUpdate: z.enum(["tool_call", "tool_call_update"]) }),
  z.object({
    sessionUpdate: z.literal("usage_update"),
    cost: z.object({ amount: z.number().nonnegative(), currency: z.literal("USD") }),
  }),
  z.object({ sessionUpdate: z.literal("session_info_update"), _meta: object }),
]);

const news: z.ZodType<SessionNews> = z.object({ sessionId: z.string(), update });

const permission: z.ZodType<PermissionRequest> = z.object({
  sessionId: z.string(),
  toolCall,
  options: z.array(z.object({ optionId: z.string(), kind: z.string() })),
});
