import type { Command, CommandEntry } from "../command/command.ts";
import { choiceArgument, choiceOption, switchOption, usageError } from "../command/options.ts";
import { NAME_LISTS, SHELLS } from "./words.ts";

const shell = choiceArgument("shell", "which shell", SHELLS);
const list = choiceOption(
  "--list <kind>",
  "print these names, one per line, for your own scripts",
  NAME_LISTS,
);
const described = switchOption(
  "--described",
  "with --list threads: after a tab, how each thread's prompt begins and how old it is",
);

/** `entries`: the commands to complete. */
export function completionCommand(entries: readonly CommandEntry[]): Command {
  return {
    description: "Print a script that completes commands, options, workflow names and thread ids.",
    arguments: [shell],
    options: [list, described],
    example: "bash",
    run: async (given, io) => {
      const [chosen, names, describe] = [given(shell), given(list), given(described)];
      if (names !== null)
        return (await import("./list-names.ts")).listNames({ names, describe }, io);
      if (chosen === null) throw usageError("name a shell: bash, zsh or fish");
      return (await import("./shells.ts")).completionScript(chosen, entries);
    },
  };
}
