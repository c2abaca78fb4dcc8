/** The shape of every command: what it is told, what it does, what it gives back.
 *
 *  1. A command's declaration costs nothing: `run` imports the module that does the work.
 *  2. A command returns data. It prints only what is meant to be watched while it goes on.
 *  3. An expected failure is a value; what is thrown is broken storage or a defect. */
import type { Failure, Result } from "@uncaged/workflow-protocol";
import type { Io } from "./io.ts";
import type { Argument, Given, Option } from "./options.ts";
import type { Style } from "./style.ts";

export type Command = {
  /** One sentence, for the list of commands. */
  description: string;
  arguments: readonly Argument<unknown>[];
  /** Without `--json`, which every command has. */
  options: readonly Option<unknown>[];
  /** Arguments of a real call, after the command's own name: `demo --prompt "Say hello"`. */
  example: string;
  alias?: string;
  run(given: Given, io: Io): Promise<Result<Output, Failure>>;
};

/** Commands under one name, in the order in which help lists them. */
export type CommandGroup = {
  commands: { readonly [name: string]: Command };
};

/** A name at the top of the command line. What stands behind it is loaded when it is called. */
export type CommandEntry = {
  name: string;
  /** For the list of commands. */
  summary: string;
} & ({ load: () => Promise<Command> } | { loadGroup: () => Promise<CommandGroup> });

/** What a command has to say, and its exit code (default: success). */
export type Output = { exitCode?: number } & (
  | Document
  /** Exactly these characters, and the document with `--json`: for what is piped into files. */
  | { document: unknown; verbatim: string }
  /** All was written while it went on. */
  | { streamed: true }
);

type Document = {
  /** The `--json` document. Its keys are a contract. */
  document: unknown;
  /** The same for people. A missing newline at the end is added. */
  human: (style: Style) => string;
};
