export type { ClaudeCodeConfig, ClaudeCodeOptions, McpServer } from "./claude-code-config.ts";
export { claudeCodeDriver } from "./claude-code-driver.ts";
export { agent, createClaudeCodeAgent } from "./create-claude-code-agent.ts";
