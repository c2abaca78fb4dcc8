/** The shape of every command: its input, its work, its result.
 *
 *  1. A command's declaration costs nothing: `run` imports the module that does the work.
 *  2. A command returns data. It prints only what is meant to be watched while it runs.
 *  3. An expected failure is a value; a thrown error is broken storage or a defect. */
import type { Failure, Result } from "@uncaged/workflow-protocol";
import type { Style } from "../terminal/style.ts";
import type { Io } from "./io.ts";
import type { Argument, Given, Option } from "./options.ts";

export type Command = {
  /** One sentence, for the list of commands. */
  description: string;
  arguments: readonly Argument<unknown>[];
  /** Without `--json`, which every command has. */
  options: readonly Option<unknown>[];
  /** Arguments of a real call, without the command's own name: `demo --prompt "Say hello"`. */
  example: string;
  alias?: string;
  /** The engine carries it out for an agent in a sandbox, with these options. `input`: what it then reads from stdin.
   *  Left out: it does not. */
  errand?: {
    options: readonly Option<unknown>[];
    input?: (given: Given, io: Io) => Promise<string>;
  };
  run(given: Given, io: Io): Promise<Result<Output, Failure>>;
};

/** Commands under one name, in the order of help. */
export type CommandGroup = {
  commands: { readonly [name: string]: Command };
};

/** A name at the top of the command line. Its module is loaded only when it is called. */
export type CommandEntry = {
  name: string;
  /** For the list of commands. */
  summary: string;
  /** It is also in a group; help lists it separately. */
  shortcut?: true;
} & (
  | { load: () => Promise<Command> }
  | {
      loadGroup: () => Promise<CommandGroup>;
      /** Commands of another group that can be called by this name, too. Help lists them there. */
      loadOthers?: () => Promise<CommandGroup>;
    }
);

/** A command's result, and its exit code (default: success). */
export type Output = { exitCode?: number } & (
  | Text
  /** Exactly these characters, and the document with `--json`: for output that is piped into files. */
  | { document: unknown; verbatim: string }
  /** Everything was written while it ran. */
  | { streamed: true }
);

type Text = {
  /** The `--json` document. Its keys are a contract. */
  document: unknown;
  /** The same for people. A missing newline at the end is added. */
  human: (style: Style) => string;
};

/** An output that is a document and its text. */
export type Said = { exitCode?: number } & Text;
