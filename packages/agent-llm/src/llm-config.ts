import type { AgentOptions } from "@uncaged/workflow-util-agent";

/** Where the model is. */
export type LlmConfig = AgentOptions & {
  /** `https://host/v1`; `/chat/completions` is added. */
  baseUrl: string;
  model: string;
  /** Variable that holds the key. A bundle has no other way to name one: its bytes are kept and shown. */
  envKey?: string | undefined;
  /** The key itself, where the configuration has it at hand; null: the endpoint wants none. */
  apiKey?: string | null | undefined;
};
