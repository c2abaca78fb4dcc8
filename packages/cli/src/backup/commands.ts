import type { Command } from "../command/command.ts";
import { type Argument, type Option, requiredArgument, switchOption } from "../command/options.ts";

const target: Argument<string> = requiredArgument("file", "the backup; must not exist");
const secrets: Option<boolean> = switchOption(
  "--secrets",
  "with .env and the signing key, which are left out otherwise",
);
export const backup: Command = {
  description: "Write the whole storage root to one file: threads, workflows, configuration.",
  arguments: [target],
  options: [secrets],
  example: "uncaged.tar",
  run: async (given, io) =>
    (await import("./backup.ts")).writeBackup(
      { path: given(target), secrets: given(secrets) ? "with" : "without" },
      io,
    ),
};

const source: Argument<string> = requiredArgument("file", "what `backup` wrote");
export const restore: Command = {
  description: "Restore a storage root from a backup, after checking all of it.",
  arguments: [source],
  options: [],
  example: "uncaged.tar",
  run: async (given, io) => (await import("./restore.ts")).restoreFrom(given(source), io),
};
