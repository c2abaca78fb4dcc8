import type { AdapterFn, AgentPackage } from "@uncaged/workflow-protocol";
import { createAgent } from "@uncaged/workflow-util-agent";
import { type ClaudeCodeConfig, parseConfig } from "./claude-code-config.ts";
import { claudeCodeDriver } from "./claude-code-driver.ts";

/** Runs roles with Claude Code. Nothing is looked for or started before a role runs. */
export function createClaudeCodeAgent(config: ClaudeCodeConfig = {}): AdapterFn {
  return createAgent(claudeCodeDriver(config), config);
}

/** For `config.agents` in `workflow.yaml`. */
export const agent: AgentPackage = {
  name: "claude-code",
  create: (options) => createClaudeCodeAgent(parseConfig(options)),
  probe: async (options, host) => {
    const config = parseConfig(options);
    return claudeCodeDriver(config).probe({ env: { ...host.env, ...config.env } });
  },
};
