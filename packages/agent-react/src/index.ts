export { agent, createReactAdapter } from "./create-react-adapter.ts";
export type { ReactConfig } from "./react-config.ts";
