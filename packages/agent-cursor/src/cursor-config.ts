import type { AgentOptions } from "@uncaged/workflow-util-agent";

/** Cursor's own settings and login are always the user's: `config` changes nothing. */
export type CursorConfig = Omit<AgentOptions, "config"> & {
  /** The program: its name on `PATH`, or its path. Default `cursor-agent`, else `agent`. */
  command?: string | undefined;
  /** Default: Cursor's own. */
  model?: string | undefined;
};

/** `cursor` is the editor. */
export const PROGRAMS: readonly string[] = ["cursor-agent", "agent"];
