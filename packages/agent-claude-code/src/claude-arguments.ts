import type { JsonObject } from "@uncaged/workflow-protocol";

/** Linux refuses an argument over 131,071 bytes. */
const MAX_ARGUMENT_BYTES = 100_000;

/** The arguments of one process. The prompt is not among them: it goes through stdin, so that it may be long and
 *  does not show in the process list. */
export function claudeArguments(run: {
  model: string | null;
  maxTurns: number | null;
  /** The session to resume; null: a new one. */
  session: string | null;
  /** Resumes a copy of it. */
  copiesSession: boolean;
  outputSchema: JsonObject;
  settingsFile: string;
  systemPromptFile: string;
  /** Null: none. */
  mcpFile: string | null;
  /** `user`: without those of the working directory, and without its instructions. */
  settingSources: "all" | "user";
  /** Whether servers of the user or of the working directory may be started too. */
  otherMcpServers: "allowed" | "ignored";
}): string[] {
  const schema = JSON.stringify(withoutDialect(run.outputSchema));
  return [
    "-p",
    ...["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
    ...["--permission-prompt-tool", "stdio"],
    ...["--settings", run.settingsFile],
    ...["--append-system-prompt-file", run.systemPromptFile],
    ...(Buffer.byteLength(schema) > MAX_ARGUMENT_BYTES ? [] : ["--json-schema", schema]),
    ...(run.session === null ? [] : ["--resume", run.session]),
    ...(run.session !== null && run.copiesSession ? ["--fork-session"] : []),
    ...(run.model === null ? [] : ["--model", run.model]),
    ...(run.maxTurns === null ? [] : ["--max-turns", String(run.maxTurns)]),
    ...(run.mcpFile === null ? [] : ["--mcp-config", run.mcpFile]),
    ...(run.otherMcpServers === "ignored" ? ["--strict-mcp-config"] : []),
    ...(run.settingSources === "user" ? ["--setting-sources", "user"] : []),
  ];
}

/** Claude Code refuses a schema that names its dialect. */
function withoutDialect({ $schema: _, ...schema }: JsonObject): JsonObject {
  return schema;
}
