export type { AcpAgentConfig, AcpSettings } from "./acp-config.ts";
export { acpDriver } from "./acp-driver.ts";
export { agent } from "./agent-package.ts";
export { createAcpAgent } from "./create-acp-agent.ts";
export type { AcpPresetName } from "./presets.ts";
