export type { CodexConfig } from "./codex-config.ts";
export { agent, createCodexAgent } from "./create-codex-agent.ts";
