/** Which command a word may have been meant to be that is none. */
import { CommanderError, Command as Parser } from "commander";
import type { CommandEntry } from "./command.ts";
import { allCommands } from "./command-tree.ts";

/** Full names: first a command that is called so in another place, then `near`, which are spelt like it in the same
 *  place, then what is spelt like it in any group. None when nothing is. */
export async function commandsMeant(
  word: string,
  { near, entries }: { near: readonly string[]; entries: readonly CommandEntry[] },
): Promise<string[]> {
  const paths = (await allCommands(entries)).map(({ path }) => path);
  const called = (name: string): string[] => {
    const named = paths.filter((path) => path.at(-1) === name);
    // A shortcut says it all.
    const short = named.filter((path) => path.length === 1);
    return (short.length > 0 ? short : named).map((path) => path.join(" "));
  };
  const elsewhere = called(word);
  if (elsewhere.length > 0) return elsewhere;
  if (near.length > 0) return [...near];
  const names = new Set(paths.flatMap((path) => path.slice(-1)));
  return nearest(word, names).flatMap(called);
}

/** Names that commander suggests in an error message. */
export function suggestedIn(message: string): string[] {
  const [, names] = /\(Did you mean (?:one of )?([^?]*)\?\)/.exec(message) ?? [];
  return names === undefined ? [] : names.split(", ");
}

/** By commander's own measure, so that near means the same everywhere. */
function nearest(word: string, names: ReadonlySet<string>): string[] {
  const parser = new Parser().exitOverride().configureOutput({ outputError: () => undefined });
  for (const name of names) parser.command(name);
  try {
    parser.parse([word], { from: "user" });
  } catch (thrown) {
    if (thrown instanceof CommanderError) return suggestedIn(thrown.message);
    throw thrown;
  }
  return [];
}
