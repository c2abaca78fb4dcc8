import { basename } from "node:path";
import type { AcpSettings } from "./acp-config.ts";
import type { AcpPreset } from "./preset.ts";
import { type AcpPresetName, ASKED, acpPreset } from "./presets.ts";

/** One agent to be started: a preset, or the author's own program, with the author's choices. */
export type AcpProgram = Omit<AcpPreset, "modelFlag"> & {
  /** Name in run records: `acp-gemini`. */
  name: string;
  preset: AcpPresetName | null;
  /** To request by the protocol; null: the default. */
  model: string | null;
  authMethod: string | null;
  config: "private" | "user";
};

export function acpProgram(
  settings: AcpSettings & { config?: "private" | "user" | undefined },
): AcpProgram {
  const { preset, args = [], model = null, authMethod = null, config = "private" } = settings;
  const choices = { authMethod, config };
  if (preset === undefined) {
    const { command, asksPermission = false, mode = null } = settings;
    return {
      ...BARE,
      ...choices,
      name: `acp-${basename(command)}`,
      preset: null,
      command,
      args,
      model,
      mode,
      asks: asksPermission ? ASKED : [],
    };
  }
  const { modelFlag, ...known } = acpPreset(preset);
  const byFlag = model !== null && modelFlag !== null ? [modelFlag, model] : [];
  const mode = settings.mode ?? known.mode;
  return {
    ...known,
    ...choices,
    name: `acp-${preset}`,
    preset,
    command: settings.command ?? known.command,
    args: [...known.args, ...byFlag, ...args],
    model: byFlag.length > 0 ? null : model,
    mode,
    // Another mode may be one that does not ask.
    asks: mode === known.mode ? known.asks : [],
  };
}

const BARE = {
  passEnv: [],
  env: {},
  policyEnv: {},
  sessionMeta: {},
  policyMeta: {},
  homes: {},
  logins: [],
  sessions: [],
  freshShells: false,
  harmless: [],
  settings: {},
  toolServerFlag: null,
  withoutAgents: [],
  auth: [],
  tokens: "turn",
  commandInTitle: false,
  saysErrors: false,
  install: "check `command` where the agent is bound",
  login: "log in with the program itself",
} as const;
