import type { AgentOptions } from "@uncaged/workflow-util-agent";

export type HermesConfig = AgentOptions & {
  /** The program: its name on `PATH`, or its path. Default `hermes`. */
  command?: string | undefined;
  /** Default: Hermes's own. */
  model?: string | undefined;
  /** Model calls in one turn. Default 90. */
  maxTurns?: number | undefined;
};
