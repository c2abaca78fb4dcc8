import type { AgentOptions } from "@uncaged/workflow-util-agent";

export type CodexConfig = AgentOptions & {
  /** The program: its name on `PATH`, or its path. Default `codex`. */
  command?: string | undefined;
  /** Default: Codex's own. */
  model?: string | undefined;
  /** `low`, `medium`, `high`, … as the model supports. */
  reasoningEffort?: string | undefined;
  /** Another endpoint than Codex's own. It must support OpenAI's Responses API. */
  provider?:
    | {
        /** `https://host/v1`. */
        baseUrl: string;
        /** Variable with the key; left out: the endpoint needs none. */
        envKey?: string | undefined;
      }
    | undefined;
  /** `workspace` (default): commands can write only in the step's directory and in temporary folders. `none`: Codex
   *  restricts nothing, for a machine or container that does so itself. */
  sandbox?: "workspace" | "none" | undefined;
  /** Commands may use the network. Default false. */
  network?: boolean | undefined;
  /** Further directories in which commands may write, absolute. */
  writable?: readonly string[] | undefined;
};
