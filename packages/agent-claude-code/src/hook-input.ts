/** What Claude Code tells a hook, as far as it matters here. Unknown fields are ignored. */
import type { JsonValue } from "@uncaged/workflow-protocol";
import { z } from "zod";

type Call = {
  tool_name: string;
  tool_use_id: string;
  tool_input: JsonValue;
  duration_ms?: number | null | undefined;
  /** Where its shell is by then. */
  cwd?: string | null | undefined;
  /** Set for calls by a subagent. */
  agent_id?: string | null | undefined;
};

/** A tool call that has ended. */
export type EndedCall =
  | (Call & { hook_event_name: "PostToolUse"; tool_response: JsonValue })
  | (Call & { hook_event_name: "PostToolUseFailure"; error: string });

export type HookInput =
  | (Call & { hook_event_name: "PreToolUse" })
  | EndedCall
  | { hook_event_name: "Stop" };

/** Null for an event that we did not subscribe to, or one with an unknown shape. */
export function parseHookInput(value: unknown): HookInput | null {
  const parsed = HOOK_INPUT.safeParse(value);
  return parsed.success ? parsed.data : null;
}

const CALL = z.object({
  tool_name: z.string(),
  tool_use_id: z.string(),
  tool_input: z.json().default(null),
  duration_ms: z.number().nonnegative().nullish(),
  cwd: z.string().nullish(),
  agent_id: z.string().nullish(),
});

const HOOK_INPUT: z.ZodType<HookInput> = z.discriminatedUnion("hook_event_name", [
  CALL.extend({ hook_event_name: z.literal("PreToolUse") }),
  CALL.extend({
    hook_event_name: z.literal("PostToolUse"),
    tool_response: z.json().default(null),
  }),
  CALL.extend({ hook_event_name: z.literal("PostToolUseFailure"), error: z.string() }),
  z.object({ hook_event_name: z.literal("Stop") }),
]);
