import type { Command, CommandEntry } from "../command.ts";
import { choiceArgument, choiceOption, misuse, switchOption } from "../options.ts";
import { NAME_LISTS, SHELLS } from "./words.ts";

const shell = choiceArgument("shell", "which shell", SHELLS);
const list = choiceOption(
  "--list <kind>",
  "print these names, one a line, for a script of yours",
  NAME_LISTS,
);
const described = switchOption(
  "--described",
  "with --list threads: after a tab, how each thread's prompt begins and how old it is",
);

/** `entries`: the commands that are to be completed. */
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
      if (chosen === null) throw misuse("name a shell: bash, zsh or fish");
      return (await import("./shells.ts")).completionScript(chosen, entries);
    },
  };
}
