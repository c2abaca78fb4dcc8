import type { AgentOptions } from "@uncaged/workflow-util-agent";

/** Where the model is, and what it may do. */
export type ReactConfig = AgentOptions & {
  /** `https://host/v1`; `/chat/completions` is added. */
  baseUrl: string;
  model: string;
  /** Variable that holds the key. A bundle has no other way to name one: its bytes are kept and shown. */
  envKey?: string | undefined;
  /** The key itself, where the configuration has it at hand; null: the endpoint wants none. */
  apiKey?: string | null | undefined;
  /** It has a tool that runs commands. That tool is no sandbox: a command can do what your user can. Default true. */
  shell?: boolean | undefined;
  /** Milliseconds that one command may take at most. Default 10 minutes. */
  shellTimeoutMs?: number | undefined;
  /** Model calls of one step, in all its turns. Default 60. */
  maxRounds?: number | undefined;
};
