import type { JsonValue, ToolCallRecord, ToolKind } from "@uncaged/workflow-protocol";
import type { CodexItem } from "./codex-event.ts";
import type { CodexSandbox } from "./codex-sandbox.ts";
import { shellCommand } from "./shell-command.ts";

export type ToolItem = Exclude<CodexItem, { type: "agent_message" }>;

/** A tool's name and input, when it starts. */
export function toolUse(item: ToolItem): { name: string; input: JsonValue } {
  switch (item.type) {
    case "command_execution":
      return { name: "shell", input: { command: shellCommand(item.command) } };
    case "file_change":
      return {
        name: "apply_patch",
        input: { changes: item.changes.map(({ path, kind }) => ({ path, kind })) },
      };
    case "mcp_tool_call":
      return { name: `${item.server}.${item.tool}`, input: item.arguments };
    case "web_search":
      return { name: "web_search", input: { query: item.query } };
  }
}

/** The calls that a finished item stands for; a patch is one call per file. Codex restarts its item numbers in each
 *  turn: `prefix` keeps the ids distinct. */
export function toolCalls(
  item: ToolItem,
  about: {
    prefix: string;
    commandKind: CodexSandbox["commandKind"];
    startedMs: number;
    nowMs: number;
    /** Where a command ran; null: unknown. */
    cwd: string | null;
  },
): ToolCallRecord[] {
  const { name, input } = toolUse(item);
  const id = `${about.prefix}${item.id}`;
  const durationMs = Math.max(0, about.nowMs - about.startedMs);
  const where = about.cwd === null ? ({ place: "unknown" } as const) : { cwd: about.cwd };
  const call = { id, name, input, exitCode: null, timestamp: about.nowMs, durationMs };
  switch (item.type) {
    case "command_execution": {
      const { exit_code: exitCode, aggregated_output: output } = item;
      const subject = shellCommand(item.command);
      return [
        {
          ...call,
          kind: about.commandKind,
          subject,
          output,
          ok: exitCode === 0,
          exitCode,
          ...where,
        },
      ];
    }
    case "file_change":
      return item.changes.map(({ path, kind }, at) => ({
        ...call,
        id: `${id}.${at}`,
        kind: kind === "delete" ? "delete" : "edit",
        subject: path,
        input: { path, kind },
        output: item.status,
        ok: item.status === "completed",
      }));
    case "mcp_tool_call":
      return [
        {
          ...call,
          kind: "other",
          subject: JSON.stringify(input),
          output: JSON.stringify(item.result),
          ok: item.status === "completed",
        },
      ];
    case "web_search": {
      const kind: ToolKind = "fetch";
      return [{ ...call, kind, subject: item.query, output: "", ok: true }];
    }
  }
}
