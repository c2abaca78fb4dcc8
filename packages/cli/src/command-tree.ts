/** All commands as data: for whatever speaks of the command line as a whole. */
import type { Command, CommandEntry } from "./command.ts";

/** A command that can be called, under its full name. */
export type NamedCommand = { path: readonly string[]; command: Command };

/** Every command, in the order in which help lists them. Loads all declarations, and no work. */
export async function allCommands(entries: readonly CommandEntry[]): Promise<NamedCommand[]> {
  const named = entries.map(async (entry): Promise<NamedCommand[]> => {
    if ("load" in entry) return [{ path: [entry.name], command: await entry.load() }];
    const { commands } = await entry.loadGroup();
    return Object.entries(commands).flatMap(([name, command]) =>
      [name, ...(command.alias === undefined ? [] : [command.alias])].map((called) => ({
        path: [entry.name, called],
        command,
      })),
    );
  });
  return (await Promise.all(named)).flat();
}
