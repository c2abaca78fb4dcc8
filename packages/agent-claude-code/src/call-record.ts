/** The record of a finished tool call, as Claude Code's `PostToolUse` hooks report it.
 *
 *  A command's exit code is taken from the program's report. For a command that was interrupted, was moved to the
 *  background, or whose failure the program treats as an answer (`grep` that found nothing), it reports no code:
 *  then there is none, and such a call is not evidence of success. */
import type { JsonValue, ToolCallRecord } from "@uncaged/workflow-protocol";
import { z } from "zod";
import type { EndedCall } from "./hook-input.ts";
import { toolCall } from "./tool-call.ts";

/** `timestamp`: Unix milliseconds when the call ended. */
export function callRecord(ended: EndedCall, timestamp: number): ToolCallRecord {
  const call = toolCall(ended.tool_name, ended.tool_input);
  const about = {
    id: ended.tool_use_id,
    ...call,
    durationMs: ended.duration_ms ?? null,
    timestamp,
    ...(ended.cwd == null ? {} : { cwd: ended.cwd }),
    ...(ended.agent_id == null ? {} : { subagent: ended.agent_id }),
  };
  if (ended.hook_event_name === "PostToolUseFailure") {
    return { ...about, output: ended.error, ok: false, exitCode: failedExitCode(ended.error) };
  }
  const response = ended.tool_response;
  if (call.kind !== "execute")
    return { ...about, output: textOf(response), ok: true, exitCode: null };
  const shell = SHELL_RESPONSE.safeParse(response);
  if (!shell.success) return { ...about, output: textOf(response), ok: true, exitCode: null };
  const { stdout, stderr, interrupted, backgroundTaskId, returnCodeInterpretation } = shell.data;
  const plain = backgroundTaskId === undefined && returnCodeInterpretation === undefined;
  return {
    ...about,
    output: [stdout, stderr].filter((text) => text !== "").join("\n"),
    ok: !interrupted,
    exitCode: plain && !interrupted ? 0 : null,
  };
}

/** Claude Code writes it at the start of a failed command's output. Null: it failed in another way. */
export function failedExitCode(error: string): number | null {
  const [, code] = /^(?:Error: )?Exit code (\d{1,3})\b/.exec(error) ?? [];
  return code === undefined ? null : Number(code);
}

const SHELL_RESPONSE = z.object({
  stdout: z.string(),
  stderr: z.string().default(""),
  interrupted: z.boolean().default(false),
  backgroundTaskId: z.string().optional(),
  returnCodeInterpretation: z.string().optional(),
});

function textOf(response: JsonValue): string {
  return typeof response === "string" ? response : JSON.stringify(response);
}
