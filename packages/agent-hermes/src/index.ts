export { agent, createHermesAgent } from "./create-hermes-agent.ts";
export type { HermesConfig } from "./hermes-config.ts";
