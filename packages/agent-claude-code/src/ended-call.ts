import type { ToolCallRecord } from "@uncaged/workflow-protocol";
import { z } from "zod";
import { callRecord } from "./call-record.ts";
import { parseHookInput } from "./hook-input.ts";

/** The tool call described by the input of a `PostToolUse` hook, and its session; null when there is none.
 *  `timestamp`: Unix milliseconds when the call ended. */
export function readEndedCall(
  value: unknown,
  timestamp: number,
): { session: string; call: ToolCallRecord } | null {
  const input = parseHookInput(value);
  const about = SESSION.safeParse(value);
  if (input?.hook_event_name !== "PostToolUse" && input?.hook_event_name !== "PostToolUseFailure")
    return null;
  return about.success
    ? { session: about.data.session_id, call: callRecord(input, timestamp) }
    : null;
}

const SESSION = z.object({ session_id: z.string() });
