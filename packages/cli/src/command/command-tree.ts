/** All commands as data, for code that describes the whole command line. */
import type { Command, CommandEntry } from "./command.ts";

/** A command that can be called, with its full name. */
export type NamedCommand = { path: readonly string[]; command: Command };

/** Every command, in the order of help. Loads all declarations, but no implementation. */
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
