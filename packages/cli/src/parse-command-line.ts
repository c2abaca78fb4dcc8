/** Turns the words of the command line into a command and its input. Nothing is run and nothing is printed here. */
import { type Failure, failure } from "@uncaged/workflow-protocol";
import { CommanderError, Command as Parser } from "commander";
import type { Command, CommandEntry, CommandGroup } from "./command/command.ts";
import { commandsMeant, suggestedIn } from "./command/commands-meant.ts";
import { footer, HELP_LAYOUT } from "./command/help-layout.ts";
import { type Given, PROGRAM, type RawInput } from "./command/options.ts";
import { COMMANDS } from "./commands.ts";

export type CommandLine =
  | { kind: "call"; command: Command; given: Given; json: boolean }
  | { kind: "help"; text: string }
  | { kind: "version"; json: boolean }
  /** `help` is shown to people in place of the failure. */
  | { kind: "usageError"; failure: Failure; help: string; json: boolean };

const NAME = "uncaged-workflow";

export async function parseCommandLine(
  argv: readonly string[],
  entries: readonly CommandEntry[] = COMMANDS,
): Promise<CommandLine> {
  const words = argv[0] === "help" ? [...argv.slice(1), "--help"] : [...argv];
  const json = asksForJson(words);
  const called = words.find((word) => !word.startsWith("-"));
  if (called === undefined && words.some((word) => word === "--version" || word === "-V")) {
    return { kind: "version", json };
  }
  const said: string[] = [];
  const calls: CommandLine[] = [];
  const program: Program = { words: null };
  let own = words;
  const parser = rootParser(said);
  for (const entry of entries) {
    const sub = parser.command(entry.name).description(entry.summary).helpCommand(false);
    if (entry.shortcut) sub.helpGroup("Shortcuts:");
    if (called !== entry.name) continue;
    const place = { path: entry.name, calls, program };
    if ("load" in entry) declare(sub, await entry.load(), place);
    else {
      const group = await entry.loadGroup();
      declareGroup(sub, group, { ...place, hidden: false });
      const others = Object.entries((await entry.loadOthers?.())?.commands ?? {});
      const commands = others.filter(([name]) => !Object.hasOwn(group.commands, name));
      declareGroup(sub, { commands: Object.fromEntries(commands) }, { ...place, hidden: true });
    }
    const end = takesProgram(sub, words) ? words.indexOf("--") : -1;
    if (end === -1) continue;
    own = words.slice(0, end);
    program.words = words.slice(end + 1);
  }
  try {
    await parser.parseAsync(own, { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    const help = said.join("");
    if (thrown.code === "commander.helpDisplayed") return { kind: "help", text: help };
    const see = seeHelpOf(parser, words);
    const usageError = misuseOf(thrown, see, await namesMeant(thrown, entries));
    return { kind: "usageError", failure: usageError, help, json };
  }
  const [call] = calls;
  if (call !== undefined) return call;
  throw new Error(`the parser accepted ${JSON.stringify(words)} and called nothing`);
}

function rootParser(said: string[]): Parser {
  return (
    new Parser(NAME)
      .description(
        "Run agent workflows: a fixed skeleton of roles, durable, resumable, verifiable.",
      )
      .option("-V, --version", "print the version")
      .option("--json", "print one JSON document instead of text for people")
      .helpCommand(false)
      .configureHelp(HELP_LAYOUT)
      // Otherwise it would take a prompt that reads "--json" as its own option.
      .enablePositionalOptions()
      .exitOverride()
      .configureOutput({
        writeOut: (text) => said.push(text),
        writeErr: (text) => said.push(text),
        // The error itself arrives as an exception; what was printed is help.
        outputError: () => undefined,
      })
      .addHelpText("after", footer(ROOT_HELP))
      .addHelpText("after", ROOT_EXAMPLE)
  );
}

const ROOT_HELP = `
Every command takes --json and --help. A thread id may be shortened to any unambiguous beginning or end. Everything is stored under ~/.uncaged/workflow, or in WORKFLOW_STORAGE_ROOT.

Exit codes: 0 success, 1 failure, 2 usage, 3 invalid transition, 4 git, 5 storage, 6 conflict, 7 waits for a person, 130 aborted.`;

const ROOT_EXAMPLE = `
Example:
  $ ${NAME} run demo --prompt "Say hello" --live`;

/** The words after `--` when the command runs another program: none of them is ours. */
type Program = { words: readonly string[] | null };

type Place = { path: string; calls: CommandLine[]; program: Program };

function declareGroup(
  parser: Parser,
  group: CommandGroup,
  { hidden, ...place }: Place & { hidden: boolean },
): void {
  for (const [name, command] of Object.entries(group.commands)) {
    const path = `${place.path} ${name}`;
    declare(parser.command(name, { hidden }), command, { ...place, path });
  }
}

function declare(parser: Parser, command: Command, { path, calls, program }: Place): void {
  parser.description(command.description);
  if (command.alias !== undefined) parser.alias(command.alias);
  for (const { declaration, description } of command.arguments) {
    if (declaration === PROGRAM) parser.usage(`${parser.usage()} -- <command...>`);
    else parser.argument(declaration, description);
  }
  for (const { flags, description, repeats } of command.options) {
    if (repeats) parser.option(flags, description, (value, before) => [...before, value], NONE);
    else parser.option(flags, description);
  }
  parser
    .option("--json", "print one JSON document instead of text for people")
    .addHelpText("after", `\nExample:\n  $ ${NAME} ${path} ${command.example}`)
    .action(() => {
      const raw = rawInput(parser, command, program.words);
      const json = raw.options.get("--json") === true;
      calls.push({ kind: "call", command, given: givenTo(command, raw), json });
    });
}

const NONE: readonly string[] = [];

/** Whether the called command runs another program. */
function takesProgram(parser: Parser, words: readonly string[]): boolean {
  const plain = words.filter((word) => !word.startsWith("-"));
  const called = parser.commands.find((command) => command.name() === plain[1]) ?? parser;
  return called.usage().endsWith(" -- <command...>");
}

function rawInput(parser: Parser, command: Command, rest: readonly string[] | null): RawInput {
  const values: { [attribute: string]: unknown } = parser.optsWithGlobals();
  const options = parser.options.map((option): [string, unknown] => [
    option.long ?? option.flags,
    values[option.attributeName()],
  ]);
  const words: readonly unknown[] = parser.processedArgs;
  const places = command.arguments.map(({ declaration }, at): [string, unknown] => [
    declaration.slice(1, -1),
    words[at],
  ]);
  return { options: new Map(options), arguments: new Map(places), rest };
}

function givenTo(command: Command, raw: RawInput): Given {
  const declared = new Set<unknown>([...command.arguments, ...command.options]);
  return (input) => {
    if (declared.has(input)) return input.read(raw);
    throw new Error(`the command reads an input that it does not declare: ${input.description}`);
  };
}

/** What an unknown command may have been meant to be. */
async function namesMeant(
  thrown: CommanderError,
  entries: readonly CommandEntry[],
): Promise<string[]> {
  const message = thrown.message.replace(ERROR, "");
  const [, word] = /^unknown command '([^\n]*)'/.exec(message) ?? [];
  if (word === undefined) return [];
  return commandsMeant(word, { near: suggestedIn(message), entries });
}

function misuseOf(thrown: CommanderError, see: string, meant: readonly string[]): Failure {
  if (thrown.code === "commander.help") return failure("USAGE", "a command is missing", see);
  const message = thrown.message.replace(ERROR, "");
  const names = meant.length > 0 ? meant : suggestedIn(message);
  const hint = names.length === 0 ? see : `did you mean ${names.join(" or ")}? ${see}`;
  return failure("USAGE", message.split("\n")[0] ?? "", hint);
}

const ERROR = /^error: /;

/** The help of the innermost command that the words name. */
function seeHelpOf(parser: Parser, words: readonly string[]): string {
  const path = [NAME];
  let inner = parser;
  for (const word of words.filter((word) => !word.startsWith("-"))) {
    const next = inner.commands.find((command) => command.name() === word);
    if (next === undefined) break;
    path.push(word);
    inner = next;
  }
  return `see: ${path.join(" ")} --help`;
}

/** Determined before parsing, because parsing may fail. */
function asksForJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return (end === -1 ? words : words.slice(0, end)).includes("--json");
}
