export type { CommandAgentConfig, CommandResult } from "./command-config.ts";
export { createCommandAgent } from "./create-command-agent.ts";
