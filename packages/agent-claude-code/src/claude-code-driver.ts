import { type AgentDriver, looksSecret } from "@uncaged/workflow-util-agent";
import type { ClaudeCodeConfig, McpServer } from "./claude-code-config.ts";
import { openConversation } from "./conversation.ts";
import { engineTool } from "./engine-tool.ts";
import { CREDENTIALS_FILE, PASSED_ON } from "./log-in.ts";
import { modelAddresses } from "./model-addresses.ts";
import { probeClaudeCode } from "./probe-claude-code.ts";

/** What is specific to Claude Code. Starts nothing before a turn begins. */
export function claudeCodeDriver(config: ClaudeCodeConfig): AgentDriver {
  return {
    name: "claude-code",
    passEnv: PASSED_ON,
    can: {
      ...{ evidence: true, policy: true, offline: "model", ask: true },
      ...{ tools: "mcp", resume: true, copy: true },
    },
    modelAddresses,
    secrets: () => Object.values(config.mcpServers ?? {}).flatMap(secretsOf),
    systemPromptApart: true,
    shellTools: ["Bash"],
    mcpTool: engineTool(config.mcpServers),
    keeps: [CREDENTIALS_FILE, "projects/*/*.jsonl"],
    probe: ({ env }) => probeClaudeCode(config.command ?? "claude", env),
    open: async (step) => openConversation(step, config),
  };
}

/** All headers, because they log in; of variables, those with a secret's name. */
function secretsOf(server: McpServer): string[] {
  if ("url" in server) return Object.values(server.headers ?? {});
  return Object.entries(server.env ?? {}).flatMap(([name, value]) =>
    looksSecret(name) ? [value] : [],
  );
}
