import type { JsonObject, JsonValue, ToolCallRecord, ToolKind } from "@uncaged/workflow-protocol";

export type CursorCall = { name: string; input: JsonObject; result: JsonObject };

/** Cursor names a call by its key: `{ "shellToolCall": { "args": …, "result": … } }`; those without a key are `{
 *  "function": { "name": …, "arguments": "…" } }`. Null: neither. */
export function cursorCall(call: JsonObject): CursorCall | null {
  const generic = call.function;
  if (isObject(generic) && typeof generic.name === "string") {
    return { name: generic.name, input: { arguments: generic.arguments ?? null }, result: {} };
  }
  const key = Object.keys(call).find((name) => name.endsWith(SUFFIX));
  const body = key === undefined ? undefined : call[key];
  if (key === undefined || !isObject(body)) return null;
  const { args, result } = body;
  return {
    name: key.slice(0, -SUFFIX.length),
    input: isObject(args) ? args : {},
    result: isObject(result) ? result : {},
  };
}

/** The record of a call that has ended. It succeeded only with a `success`. */
export function toolCallRecord(
  call: CursorCall,
  about: { id: string; nowMs: number },
): ToolCallRecord {
  const { name, input, result } = call;
  const kind = kindOf(name);
  const success = isObject(result.success) ? result.success : null;
  const detail = success ?? Object.values(result).find(isObject) ?? {};
  const exitCode = typeof detail.exitCode === "number" ? detail.exitCode : null;
  return {
    id: about.id,
    name,
    kind,
    subject: subjectOf(kind, input),
    input,
    output: kind === "execute" ? printed(detail) : JSON.stringify(result),
    ok: success !== null && (kind !== "execute" || exitCode === 0),
    exitCode: kind === "execute" ? exitCode : null,
    durationMs: typeof detail.executionTime === "number" ? detail.executionTime : null,
    timestamp: about.nowMs,
    ...(typeof input.workingDirectory === "string" && input.workingDirectory !== ""
      ? { cwd: input.workingDirectory }
      : {}),
    ...(wasRejected(call) ? { refused: true } : {}),
  };
}

/** The call was refused by Cursor's own permissions. */
export function wasRejected({ result }: CursorCall): boolean {
  return isObject(result.rejected) || isObject(result.permissionDenied);
}

const SUFFIX = "ToolCall";

function kindOf(name: string): ToolKind {
  return KINDS.get(name) ?? "other";
}

const KINDS: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
  ["shell", "execute"],
  ["read", "read"],
  ["ls", "search"],
  ["glob", "search"],
  ["grep", "search"],
  ["semSearch", "search"],
  ["edit", "edit"],
  ["write", "edit"],
  ["applyPatch", "edit"],
  ["editNotebook", "edit"],
  ["delete", "delete"],
  ["webFetch", "fetch"],
  ["webSearch", "fetch"],
  ["updateTodos", "think"],
  ["readTodos", "think"],
]);

function subjectOf(kind: ToolKind, input: JsonObject): string {
  const key = kind === "execute" ? "command" : kind === "fetch" ? "url" : "path";
  const value = input[key];
  return typeof value === "string" && kind !== "search" ? value : JSON.stringify(input);
}

function printed({ stdout, stderr }: JsonObject): string {
  return [stdout, stderr].filter((part) => typeof part === "string" && part !== "").join("\n");
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
