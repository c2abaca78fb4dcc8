import type { ToolCallRecord } from "@uncaged/workflow-protocol";
import type { CommandResult } from "./command-config.ts";
import type { CommandOrder } from "./command-order.ts";

/** The command as a call that the engine saw. Without environment and input: they may contain secrets or be long. */
export function callRecord(
  { command, args, cwd, commandLine }: CommandOrder,
  { exitCode, signal, durationMs, output }: CommandResult,
  timestamp: number,
): ToolCallRecord {
  return {
    id: "command",
    name: command,
    kind: "execute",
    subject: commandLine,
    input: { command, args, cwd, ...(signal === null ? {} : { signal }) },
    output,
    ok: exitCode === 0,
    exitCode,
    durationMs,
    timestamp,
    cwd,
  };
}
