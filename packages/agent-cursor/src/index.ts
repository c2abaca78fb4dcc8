export { agent, createCursorAgent } from "./create-cursor-agent.ts";
export type { CursorConfig } from "./cursor-config.ts";
