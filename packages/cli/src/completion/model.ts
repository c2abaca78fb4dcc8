/** What the shells need to know about the command line: which words may be used where. */
import type { CommandEntry } from "../command/command.ts";
import { allCommands, type NamedCommand } from "../command/command-tree.ts";
import type { Argument, Option } from "../command/options.ts";
import type { NameList } from "./words.ts";

/** What a word stands for, and therefore what is offered for it. */
export type Kind = NameList | "files" | "any" | { choices: readonly string[] };

export type OptionModel = {
  /** `-p`; null when it has none. */
  short: string | null;
  /** `--prompt`. */
  long: string;
  description: string;
  /** Kind of its value; null when it takes none. */
  value: Kind | null;
};

/** A command that can be called, or (without arguments) a group of commands. */
export type Place = {
  /** Words after the program's name; none for the program itself. */
  path: readonly string[];
  subcommands: readonly { name: string; description: string }[];
  options: readonly OptionModel[];
  arguments: readonly Kind[];
  /** Whether its last argument may be followed by more of the same. */
  repeats: boolean;
};

export async function completionModel(entries: readonly CommandEntry[]): Promise<Place[]> {
  const commands = await allCommands(entries);
  const groups = entries.filter((entry) => "loadGroup" in entry);
  return [
    {
      path: [],
      subcommands: [
        ...entries.map(({ name, summary }) => ({ name, description: summary })),
        { name: "help", description: "explain a command" },
      ],
      options: [
        ...EVERYWHERE,
        { short: "-V", long: "--version", description: "print the version", value: null },
      ],
      arguments: [],
      repeats: false,
    },
    ...groups.map(({ name }) => groupPlace(name, commands)),
    ...commands.map(commandPlace),
  ];
}

const EVERYWHERE: readonly OptionModel[] = [
  { short: null, long: "--json", description: "print one JSON document", value: null },
  { short: "-h", long: "--help", description: "explain the command", value: null },
];

function groupPlace(group: string, commands: readonly NamedCommand[]): Place {
  const inside = commands.filter(({ path }) => path.length > 1 && path[0] === group);
  return {
    path: [group],
    subcommands: inside.map(({ path, command }) => ({
      name: path.slice(1).join(" "),
      description: command.description,
    })),
    options: EVERYWHERE,
    arguments: [],
    repeats: false,
  };
}

function commandPlace({ path, command }: NamedCommand): Place {
  return {
    path,
    subcommands: [],
    options: [...command.options.map(optionModel), ...EVERYWHERE],
    arguments: command.arguments.map(argumentKind),
    repeats: REPEATED.test(command.arguments.at(-1)?.declaration ?? ""),
  };
}

/** How an argument is declared that takes several words: `<id...>`, `[id...]`. */
const REPEATED = /\.\.\.[>\]]$/;

function optionModel({ flags, description, choices }: Option<unknown>): OptionModel {
  const placeholder = /<([^>]+)>/.exec(flags)?.[1];
  return {
    short: /(?:^|[\s,])(-[A-Za-z])\b/.exec(flags)?.[1] ?? null,
    long: /--[a-z][a-z-]*/.exec(flags)?.[0] ?? flags,
    description,
    value: placeholder === undefined ? null : kindOf(placeholder, choices),
  };
}

function argumentKind({ declaration, choices }: Argument<unknown>): Kind {
  return kindOf(declaration.slice(1, -1).replace(/\.\.\.$/, ""), choices);
}

function kindOf(placeholder: string, choices: readonly string[] | undefined): Kind {
  return choices === undefined ? (PLACEHOLDERS.get(placeholder) ?? "any") : { choices };
}

/** What a word stands for, from its placeholder in a command's declaration. */
const PLACEHOLDERS: ReadonlyMap<string, Kind> = new Map([
  ["id", "threads"],
  ["thread", "threads"],
  ["a", "threads"],
  ["b", "threads"],
  ["good", "threads"],
  ["bad", "threads"],
  ["name", "workflows"],
  ["version", "workflows"],
  ["schedule", "schedules"],
  ["trigger", "triggers"],
  ["dir", "files"],
  ["entry", "files"],
  ["file", "files"],
  ["package", "files"],
  ["path", "files"],
]);
