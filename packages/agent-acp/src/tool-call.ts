/** One tool call, as its agent reports it bit by bit. */
import { isAbsolute, join } from "node:path";
import {
  type JsonObject,
  type JsonValue,
  type ToolCallRecord,
  type ToolKind,
  toJsonObject,
} from "@uncaged/workflow-protocol";
import { captureOutput, type OutputCapture } from "@uncaged/workflow-util-agent";
import type { ToolCallNews } from "./session-update.ts";

const OUTPUT_BYTES = 64 * 1024;

export type ToolCall = {
  id: string;
  /** The agent's own name for the tool; null: not reported yet. */
  name: string | null;
  title: string;
  /** Null: not reported yet. */
  kind: ToolKind | null;
  input: JsonValue | null;
  paths: ReadonlySet<string>;
  /** It touches more files than are kept in `paths`. */
  morePaths: boolean;
  /** The text of its content and its raw output; the later one counts. */
  output: string;
  /** The output of its terminal, where the agent reports it piece by piece. */
  terminal: OutputCapture | null;
  exitCode: number | null;
  /** The shell in which its command runs, as far as reported. */
  shell: { id: string; cwd: string | null } | null;
  /** Unix milliseconds: when it began, if that is reported separately from its announcement. */
  startedAt: number;
  /** We were asked for permission. */
  asked: boolean;
  /** And refused it. */
  refused: boolean;
  /** Its start was emitted. */
  shown: boolean;
};

export function newToolCall(id: string, now: number): ToolCall {
  return {
    id,
    name: nameInId(id),
    title: "",
    kind: null,
    input: null,
    paths: new Set(),
    morePaths: false,
    output: "",
    terminal: null,
    exitCode: null,
    shell: null,
    startedAt: now,
    asked: false,
    refused: false,
    shown: false,
  };
}

/** Merges an update. */
export function noteNews(call: ToolCall, news: ToolCallNews): void {
  call.name ??= news.name ?? nameInMeta(news._meta);
  // Some agents announce a call by the tool's name, before they know what it is about.
  if (call.title === "" && news.status === "pending" && isName(news.title, news.rawInput))
    call.name ??= news.title;
  call.title = news.title ?? call.title;
  call.kind = news.kind ?? call.kind;
  if (news.rawInput !== null && !isEmpty(news.rawInput)) call.input = news.rawInput;
  const paths = [
    ...pathsOf(news.locations),
    ...pathsOf(news.content),
    ...inputPaths(news.rawInput),
  ];
  if (paths.length > 0) notePaths(call, paths);
  call.output = outputOf(news) ?? call.output;
  call.exitCode = exitCodeOf(news) ?? call.exitCode;
  call.shell = shellOf(news) ?? call.shell;
  const printed =
    textAt(news._meta, "terminal_output_delta", "data") ??
    textAt(news._meta, "terminal_output", "data");
  if (printed !== null) {
    call.terminal ??= captureOutput(OUTPUT_BYTES);
    call.terminal.push(Buffer.from(printed));
  }
}

const MOST_PATHS = 1_000;

function notePaths(call: ToolCall, paths: readonly string[]): void {
  const all = [...new Set([...call.paths, ...paths])];
  call.morePaths ||= all.length > MOST_PATHS;
  call.paths = new Set(all.slice(0, MOST_PATHS));
}

/** What the call is about, for rules on input: several for a call that touches several files. Empty when the agent
 *  has not reported it. */
export function subjectsOf(call: ToolCall, opts: { commandInTitle: boolean }): string[] {
  switch (call.kind) {
    case "execute": {
      const command = commandIn(call.input) ?? (opts.commandInTitle ? call.title : "");
      return command === "" ? [] : [command];
    }
    case "read":
    case "edit":
    case "delete":
    case "move":
      return [...call.paths];
    case "fetch": {
      const url = textAt(call.input, "url");
      return url === null ? [] : [url];
    }
    default:
      return call.input === null ? [] : [JSON.stringify(call.input)];
  }
}

/** The record of a call that has ended. */
export function recordOf(
  call: ToolCall,
  end: {
    ok: boolean;
    now: number;
    commandInTitle: boolean;
    /** Where its commands start if they do not say; null: unknown. */
    shellsBeginIn: string | null;
    harmless: readonly string[];
  },
): ToolCallRecord {
  const cwd = call.kind === "execute" ? directoryOf(call, end.shellsBeginIn) : null;
  const kind = call.kind ?? "other";
  return {
    id: call.id,
    name: shownName(call),
    kind: kind === "other" && end.harmless.includes(call.name ?? "") ? "think" : kind,
    subject: subjectsOf(call, end).join("\n"),
    input: call.input,
    output: call.terminal?.result().text ?? call.output,
    ok: end.ok && (call.exitCode ?? 0) === 0,
    exitCode: call.exitCode,
    durationMs: Math.max(0, end.now - call.startedAt),
    timestamp: end.now,
    ...(cwd === null ? {} : { cwd }),
    ...(call.refused ? { refused: true } : {}),
  };
}

function directoryOf({ shell, input }: ToolCall, usual: string | null): string | null {
  if (shell?.cwd != null) return shell.cwd;
  const asked = DIRECTORY_KEYS.map((key) => textAt(input, key)).find((text) => text !== null);
  if (asked === undefined || asked === null || asked === "") return usual;
  return isAbsolute(asked) ? asked : usual === null ? null : join(usual, asked);
}

const DIRECTORY_KEYS = ["cwd", "workdir", "directory", "dir_path", "working_directory"] as const;

/** Copilot names a command's shell in its result, in its input, or in words. */
function shellOf({ rawInput, rawOutput }: ToolCallNews): ToolCall["shell"] {
  const exit = listAt(rawOutput, "contents").find((part) => at(part, "type") === "shell_exit");
  const id =
    textAt(exit ?? null, "shellId") ?? textAt(rawInput, "shellId") ?? shellInWords(rawOutput);
  return id === null ? null : { id, cwd: textAt(exit ?? null, "cwd") };
}

function shellInWords(rawOutput: JsonValue | null): string | null {
  const said = textAt(rawOutput, "content") ?? "";
  return /<[^<>]*shellId: (\w+)[^<>]*>\s*$/.exec(said)?.[1] ?? null;
}

/** The tool's name, or the closest known one. */
export function shownName({ name, title, kind, id }: ToolCall): string {
  return name ?? (title === "" ? (kind ?? id) : title);
}

/** `read_file__read_file_1795278640013_0`, `shell-1795278640013`: the name comes before the number. */
function nameInId(id: string): string | null {
  return /^(\w+?)__\1_\d/.exec(id)?.[1] ?? /^([a-z]\w*)-\d{13}/.exec(id)?.[1] ?? null;
}

function nameInMeta(meta: JsonObject | null): string | null {
  return textAt(meta, "claudeCode", "toolName") ?? textAt(meta, "toolName");
}

/** Not what its model says of the call: rules on names would believe it. */
function isName(title: string | null | undefined, input: JsonValue): title is string {
  if (!/^[\w-]+$/.test(title ?? "")) return false;
  return !Object.values(toJsonObject(input) ?? {}).includes(title ?? "");
}

function isEmpty(value: JsonValue): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function commandIn(input: JsonValue | null): string | null {
  const command = at(input, "command") ?? at(input, "cmd") ?? null;
  if (typeof command === "string") return command;
  if (Array.isArray(command)) return command.map(String).join(" ");
  return null;
}

const PATH_KEYS = [
  "absolute_path",
  "fileName",
  "filePath",
  "file_path",
  "filepath",
  "notebook_path",
  "path",
  "target_file",
] as const;

function inputPaths(input: JsonValue | null): string[] {
  return PATH_KEYS.flatMap((key) => textAt(input, key) ?? []);
}

/** From locations, and from diffs in the content. */
function pathsOf(parts: readonly (JsonObject | null)[] | null | undefined): string[] {
  return (parts ?? []).flatMap((part) => textAt(part, "path") ?? []);
}

function outputOf({ rawOutput, content }: ToolCallNews): string | null {
  if (typeof rawOutput === "string") return bounded(rawOutput);
  for (const key of ["output", "stdout", "error", "formatted_output", "content"]) {
    const text = textAt(rawOutput, key);
    if (text !== null) return bounded(text);
  }
  const texts = (content ?? []).flatMap((part) => textAt(part, "content", "text") ?? []);
  return texts.length === 0 ? null : bounded(texts.join("\n"));
}

function bounded(text: string): string {
  const capture = captureOutput(OUTPUT_BYTES);
  capture.push(Buffer.from(text));
  return capture.result().text;
}

function exitCodeOf({ rawOutput, _meta }: ToolCallNews): number | null {
  const said = [
    at(_meta, "terminal_exit", "exit_code"),
    at(rawOutput, "metadata", "exit"),
    at(rawOutput, "exit_code"),
    at(rawOutput, "exitCode"),
    ...listAt(rawOutput, "contents").map((part) => at(part, "exitCode")),
  ].find((each) => typeof each === "number" && Number.isInteger(each));
  return typeof said === "number" ? said : null;
}

function listAt(value: JsonValue | null, key: string): readonly JsonValue[] {
  const found = at(value, key);
  return Array.isArray(found) ? found : [];
}

function textAt(value: JsonValue | null, ...path: readonly string[]): string | null {
  const found = at(value, ...path);
  return typeof found === "string" ? found : null;
}

function at(
  value: JsonValue | null | undefined,
  ...path: readonly string[]
): JsonValue | undefined {
  let found: JsonValue | undefined = value ?? undefined;
  for (const key of path) {
    if (typeof found !== "object" || found === null || Array.isArray(found)) return undefined;
    found = Object.entries(found).find(([name]) => name === key)?.[1];
  }
  return found;
}
