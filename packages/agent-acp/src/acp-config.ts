import type { AgentOptions } from "@uncaged/workflow-util-agent";
import type { AcpPresetName } from "./presets.ts";

export type AcpAgentConfig = AgentOptions & AcpSettings;

/** The options of this adapter alone. */
export type AcpSettings = (PresetProgram | OwnProgram) & {
  /** Model to request, by the agent's own name for it. Default: the agent's choice. */
  model?: string | undefined;
  /** Mode of the session, by the agent's own name for it. Default: the preset's, in which the agent asks before it
   *  acts. With another mode a role with a tool policy is refused. */
  mode?: string | undefined;
  /** Authentication method, by the agent's own name for it. Default: the preset's, according to the keys that are
   *  set. */
  authMethod?: string | undefined;
};

type PresetProgram = {
  preset: AcpPresetName;
  /** Path of the program, if it is not the one on `PATH`. */
  command?: string | undefined;
  /** Further arguments. */
  args?: readonly string[] | undefined;
};

/** An agent without a preset. */
type OwnProgram = {
  preset?: undefined;
  /** A program that speaks the protocol over its stdin and stdout. */
  command: string;
  args?: readonly string[] | undefined;
  /** The agent asks for permission before it edits, runs or fetches anything: only then can a role have a tool
   *  policy. Default false. */
  asksPermission?: boolean | undefined;
};
