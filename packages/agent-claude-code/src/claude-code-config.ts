import type { JsonObject } from "@uncaged/workflow-protocol";
import { type AgentOptions, readAgentOptions } from "@uncaged/workflow-util-agent";
import { z } from "zod";

/** A Model Context Protocol server that the agent may use, in the format of Claude Code's own `mcpServers`. */
export type McpServer =
  | {
      command: string;
      args?: readonly string[] | undefined;
      env?: Readonly<Record<string, string>> | undefined;
    }
  | {
      type: "http" | "sse";
      url: string;
      headers?: Readonly<Record<string, string>> | undefined;
    };

export type ClaudeCodeOptions = {
  /** The program: its name on `PATH`, or its path. Default `claude`. */
  command?: string | undefined;
  /** An alias (`sonnet`) or a full name. Default: the program's own choice. */
  model?: string | undefined;
  /** Model calls in one turn. Default: no limit except time. */
  maxTurns?: number | undefined;
  /** Name → server; for example `uncaged-workflow mcp`. */
  mcpServers?: Readonly<Record<string, McpServer>> | undefined;
};

export type ClaudeCodeConfig = ClaudeCodeOptions & AgentOptions;

/** Options from `workflow.yaml`. Throws `CONFIG_INVALID` for unknown or invalid ones. */
export function parseConfig(options: JsonObject): ClaudeCodeConfig {
  return readAgentOptions("claude-code", OWN, options);
}

const texts = z.record(z.string(), z.string());

const OWN: z.ZodType<ClaudeCodeOptions> = z.strictObject({
  command: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  maxTurns: z.int().positive().optional(),
  mcpServers: z
    .record(
      z.string().min(1),
      z.union([
        z.strictObject({
          command: z.string().min(1),
          args: z.array(z.string()).optional(),
          env: texts.optional(),
        }),
        z.strictObject({ type: z.enum(["http", "sse"]), url: z.url(), headers: texts.optional() }),
      ]),
    )
    .optional(),
});
