/** The lines that the Cursor agent prints with `--output-format stream-json`, as far as they are used. */
import type { JsonObject } from "@uncaged/workflow-protocol";
import { z } from "zod";

export type CursorEvent =
  | { type: "system"; subtype: string; session_id: string }
  | { type: "assistant"; text: string }
  | { type: "tool_call"; subtype: "started" | "completed"; call_id: string; tool_call: JsonObject }
  | { type: "result"; is_error: boolean; result: string; session_id?: string | undefined };

/** Null: a line that does not matter, or from a later version. */
export function cursorEvent(line: JsonObject): CursorEvent | null {
  const parsed = EVENT.safeParse(line);
  if (!parsed.success) return null;
  const event = parsed.data;
  if (event.type !== "assistant") return event;
  return { type: "assistant", text: event.message.content.map(({ text }) => text).join("") };
}

const EVENT = z.discriminatedUnion("type", [
  z.object({ type: z.literal("system"), subtype: z.string(), session_id: z.string() }),
  z.object({
    type: z.literal("assistant"),
    message: z.object({ content: z.array(z.object({ text: z.string().default("") })) }),
  }),
  z.object({
    type: z.literal("tool_call"),
    subtype: z.enum(["started", "completed"]),
    call_id: z.string(),
    tool_call: z.custom<JsonObject>((value) => typeof value === "object" && value !== null),
  }),
  z.object({
    type: z.literal("result"),
    is_error: z.boolean().default(false),
    result: z.string().default(""),
    session_id: z.string().optional(),
  }),
]);
