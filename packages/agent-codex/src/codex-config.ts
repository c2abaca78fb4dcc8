import type { AgentOptions } from "@uncaged/workflow-util-agent";

export type CodexConfig = AgentOptions & {
  /** The program: its name on `PATH`, or its path. Default `codex`. */
  command?: string | undefined;
  /** Default: Codex's own. */
  model?: string | undefined;
  /** `low`, `medium`, `high`, … as the model has them. */
  reasoningEffort?: string | undefined;
  /** Another endpoint than Codex's own. It has to speak OpenAI's Responses API. */
  provider?:
    | {
        /** `https://host/v1`. */
        baseUrl: string;
        /** Variable that holds the key; left out: the endpoint wants none. */
        envKey?: string | undefined;
      }
    | undefined;
  /** `workspace` (default): commands write in the step's directory and in temporary folders only. `none`: Codex
   *  holds them back from nothing; for a machine or container that does it itself. */
  sandbox?: "workspace" | "none" | undefined;
  /** Commands may use the network. Default false. */
  network?: boolean | undefined;
  /** Further directories in which commands may write, absolute. */
  writable?: readonly string[] | undefined;
};
