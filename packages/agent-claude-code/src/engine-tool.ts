import { basename } from "node:path";
import type { ThreadReach } from "@uncaged/workflow-util-agent";
import type { ClaudeCodeConfig, McpServer } from "./claude-code-config.ts";

/** Claude Code's names for the tools of `uncaged-workflow mcp`, if that is among its servers; null: it is not. */
export function engineTool(
  servers: ClaudeCodeConfig["mcpServers"],
): NonNullable<ThreadReach["mcpTool"]> | null {
  const found = Object.entries(servers ?? {}).find(([, server]) => isOurs(server));
  if (found === undefined) return null;
  const [name] = found;
  // It replaces any other character in a name with an underscore.
  const prefix = `mcp__${name.replaceAll(/[^a-zA-Z0-9_-]/g, "_")}__`;
  return (tool) => `${prefix}${tool}`;
}

/** Also when Node, npx or an absolute path starts it. */
function isOurs(server: McpServer): boolean {
  if (!("command" in server)) return false;
  const words = [server.command, ...(server.args ?? [])];
  const program = words.findIndex((word) => PROGRAM.test(basename(word)));
  return program !== -1 && words.slice(program + 1).includes("mcp");
}

const PROGRAM = /^(?:uncaged-workflow|uwf|cli-workflow)(?:@[^/]*)?(?:\.mjs|\.cmd)?$/;
