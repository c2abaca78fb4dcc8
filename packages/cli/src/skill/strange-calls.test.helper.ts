import type { NamedCommand } from "../command/command-tree.ts";

/** Lines of a text that call this program with an unknown command or option, including calls in backquotes without
 *  the program's name: `cas gc --grace 1h`. */
export function strangeCalls(text: string, commands: readonly NamedCommand[]): string[] {
  return [...text.matchAll(CALL)].flatMap(([line, first = "", second = "", rest = ""]) => {
    const called = named(commands, [first, second]) ?? named(commands, [first]);
    if (called === undefined) return isGroup(commands, first) && second === "" ? [] : [line];
    const flags = called.command.options.map((option) => option.flags).join(" ");
    const known = new Set(`${flags} --json --help`.match(OPTIONS));
    const options = rest.match(OPTIONS) ?? [];
    return options.every((option) => known.has(option)) ? [] : [line];
  });
}

const CALL =
  /(?:\b(?:uncaged-workflow|uwf) |`(?=(?:workflow|thread|cas) [a-z]))([a-z]+)(?: ([a-z]+(?:-[a-z]+)*)\b)?([^`|;&(\n]*)/g;
const OPTIONS = /--[a-z][a-z-]*/g;

function named(
  commands: readonly NamedCommand[],
  words: readonly string[],
): NamedCommand | undefined {
  return commands.find(({ path }) => path.join(" ") === words.join(" "));
}

function isGroup(commands: readonly NamedCommand[], word: string): boolean {
  return commands.some(({ path }) => path.length > 1 && path[0] === word);
}
