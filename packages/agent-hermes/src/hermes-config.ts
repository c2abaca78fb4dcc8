import type { AgentOptions } from "@uncaged/workflow-util-agent";

/** Hermes's own settings, log-in and sessions are always the user's: `config` changes nothing. */
export type HermesConfig = Omit<AgentOptions, "config"> & {
  /** The program: its name on `PATH`, or its path. Default `hermes`. */
  command?: string | undefined;
  /** Default: Hermes's own. */
  model?: string | undefined;
  /** Model calls in one turn. Default 90. */
  maxTurns?: number | undefined;
};
