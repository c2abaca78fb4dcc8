export { agent, createLlmAdapter } from "./create-llm-adapter.ts";
export type { LlmConfig } from "./llm-config.ts";
