import type { Command, CommandGroup } from "../command/command.ts";
import {
  type Argument,
  choiceOption,
  type Option,
  optionalArgument,
  textOption,
} from "../command/options.ts";
import type { SettingsScope } from "./settings-file.ts";

const scope: Option<SettingsScope | null> = choiceOption(
  "--scope <scope>",
  "whose settings (default: user)",
  ["user", "project", "local"],
);
const file: Option<string | null> = textOption("--file <path>", "another settings file");

const install: Command = {
  description:
    "Record Claude Code sessions that you start yourself, and remind them of their thread.",
  arguments: [],
  options: [scope, file],
  example: "--scope project",
  run: async (given, io) =>
    (await import("./install.ts")).install({ scope: given(scope), file: given(file) }, io),
};

const uninstall: Command = {
  description: "Remove what hooks install added, and nothing else.",
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
  description: "For a hook: record the tool call on stdin. Never fails.",
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
