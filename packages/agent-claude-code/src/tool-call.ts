/** The meaning of a call of one of Claude Code's tools, wherever it was reported: the tool's kind, and the call's
 *  subject. A tool that is not listed here is `other`: it may do anything. */
import type { JsonObject, JsonValue, ToolCallRecord, ToolKind } from "@uncaged/workflow-protocol";

export type ToolCall = Pick<ToolCallRecord, "name" | "kind" | "subject" | "input">;

export function toolCall(name: string, input: JsonValue): ToolCall {
  const kind = KINDS.get(name) ?? "other";
  return { name, kind, subject: subjectOf(kind, input), input };
}

const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ["Read", "read"],
  ["NotebookRead", "read"],
  ["Glob", "search"],
  ["Grep", "search"],
  ["LS", "search"],
  ["ToolSearch", "search"],
  ["WebSearch", "search"],
  ["Edit", "edit"],
  ["MultiEdit", "edit"],
  ["NotebookEdit", "edit"],
  ["Write", "edit"],
  ["Bash", "execute"],
  ["Monitor", "execute"],
  ["PowerShell", "execute"],
  ["WebFetch", "fetch"],
  ["BashOutput", "read"],
  ["ListMcpResourcesTool", "read"],
  ["ReadMcpResourceTool", "read"],
  ["TaskOutput", "read"],
  ["Agent", "think"],
  ["Skill", "think"],
  ["Task", "think"],
  ["TaskCreate", "think"],
  ["TaskGet", "think"],
  ["TaskList", "think"],
  ["TaskUpdate", "think"],
  ["TodoWrite", "think"],
]);

function subjectOf(kind: ToolKind, input: JsonValue): string {
  const named = SUBJECT_KEYS[kind]?.map((key) => textIn(input, key)).find((text) => text !== null);
  return named ?? JSON.stringify(input);
}

const SUBJECT_KEYS: { readonly [kind in ToolKind]?: readonly string[] } = {
  read: ["file_path", "notebook_path"],
  edit: ["file_path", "notebook_path"],
  execute: ["command"],
  fetch: ["url"],
};

function textIn(value: JsonValue, key: string): string | null {
  const found = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof found === "string" ? found : null;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
