export type { CommandAgentConfig, CommandResult } from "./command-config.ts";
export { agent } from "./command-package.ts";
export { createCommandAgent } from "./create-command-agent.ts";
