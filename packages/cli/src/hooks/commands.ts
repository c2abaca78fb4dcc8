import type { Command, CommandGroup } from "../command.ts";
import {
  type Argument,
  choiceOption,
  type Option,
  optionalArgument,
  textOption,
} from "../options.ts";
import type { SettingsScope } from "./settings-file.ts";

const scope: Option<SettingsScope | null> = choiceOption(
  "--scope <scope>",
  "whose settings (default: user)",
  ["user", "project", "local"],
);
const file: Option<string | null> = textOption("--file <path>", "another settings file");

const install: Command = {
  description: "Have Claude Code sessions that a person starts recorded and reminded.",
  arguments: [],
  options: [scope, file],
  example: "--scope project",
  run: async (given, io) =>
    (await import("./install.ts")).install({ scope: given(scope), file: given(file) }, io),
};

const uninstall: Command = {
  description: "Take out what hooks install put in, and nothing else.",
  arguments: [],
  options: [scope, file],
  example: "--scope project",
  run: async (given, io) =>
    (await import("./install.ts")).uninstall({ scope: given(scope), file: given(file) }, io),
};

const session: Argument<string | null> = optionalArgument(
  "session",
  "a session id, or its beginning (default: list the sessions)",
);
const log: Command = {
  description: "Show what the hooks recorded.",
  arguments: [session],
  options: [],
  example: "5f3c",
  run: async (given, io) => (await import("./log.ts")).log(given(session), io),
};

const record: Command = {
  description: "For a hook: keep the tool call that stdin tells of. Never fails.",
  arguments: [],
  options: [],
  example: "--json < hook-input.json",
  run: async (_given, io) => (await import("./record.ts")).record(io),
};

const context: Command = {
  description: "For a hook: print what must survive a compaction. Never fails.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./context.ts")).context(io),
};

export const hooksCommands: CommandGroup = {
  commands: { install, uninstall, log, record, context },
};
