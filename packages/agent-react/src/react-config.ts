import type { AgentOptions, ModelAccess } from "@uncaged/workflow-util-agent";

/** Where the model is, and what it may do. */
export type ReactConfig = AgentOptions &
  ModelAccess & {
    /** It has a tool that runs commands. That tool is no sandbox: a command can do what your user can. Default true. */
    shell?: boolean | undefined;
    /** Milliseconds that one command may take at most. Default 10 minutes. */
    shellTimeoutMs?: number | undefined;
    /** Model calls of one step, in all its turns. Default 60. */
    maxRounds?: number | undefined;
  };
