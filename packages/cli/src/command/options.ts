/** Options and arguments of commands: how each is written, and how its text becomes a typed value. Invalid text
 *  throws `USAGE`, before the command does anything. */
import { failure, WorkflowError } from "@uncaged/workflow-protocol";

export type Option<T> = {
  /** In commander's notation: `-p, --prompt <text>`. */
  flags: string;
  description: string;
  /** The only allowed values; for completion. */
  choices?: readonly string[];
  /** It may be given several times, with one value each. */
  repeats?: true;
  read: (raw: RawInput) => T;
};

export type Argument<T> = {
  /** `<name>` is required, `[name]` is not; `<name...>` takes the words behind it, too. */
  declaration: string;
  description: string;
  /** The only allowed values; for completion. */
  choices?: readonly string[];
  read: (raw: RawInput) => T;
};

/** Values as the command line parser found them: by long option name, by position. */
export type RawInput = {
  options: ReadonlyMap<string, unknown>;
  arguments: ReadonlyMap<string, unknown>;
  /** The words after `--`, for a command that runs another one; null: there was no `--`. */
  rest: readonly string[] | null;
};

/** Returns the value given for an option or argument of the command. */
export type Given = <T>(input: Option<T> | Argument<T>) => T;

export function switchOption(flags: string, description: string): Option<boolean> {
  const name = nameIn(flags);
  return { flags, description, read: (raw) => raw.options.get(name) === true };
}

export function textOption(flags: string, description: string): Option<string | null> {
  const name = nameIn(flags);
  return { flags, description, read: (raw) => textOrNull(raw.options.get(name)) };
}

/** Written as `--agent <name...>`; may be given several times. */
export function textsOption(flags: string, description: string): Option<readonly string[]> {
  const name = nameIn(flags);
  return {
    flags,
    description,
    read: (raw) => {
      const given = raw.options.get(name);
      return Array.isArray(given) ? given.filter((each) => typeof each === "string") : [];
    },
  };
}

/** Given once for each value, which is one word: `--label a=1 --label b=2`. */
export function repeatedOption(flags: string, description: string): Option<readonly string[]> {
  const option = textsOption(flags, `${description}; may be given several times`);
  return { ...option, repeats: true };
}

/** The negation of a switch of the same name: `--no-files` beside `--files`. Of both, the last one counts. */
export function negatedOption(flags: string, description: string): Option<boolean> {
  const name = nameIn(flags);
  return { flags, description, read: (raw) => raw.options.get(name) === false };
}

/** With an optional value, written as `--worktree [base]`; null: it is not given. */
export function bareOrTextOption(
  flags: string,
  description: string,
): Option<{ text: string | null } | null> {
  const text = textOption(flags, description);
  const name = nameIn(flags);
  return {
    flags,
    description,
    read: (raw) => {
      if (raw.options.get(name) === true) return { text: null };
      const given = text.read(raw);
      return given === null ? null : { text: given };
    },
  };
}

/** A whole number, `atLeast` or more. */
export function countOption(
  flags: string,
  description: string,
  { atLeast }: { atLeast: number },
): Option<number | null> {
  return parsedOption(flags, description, (text, name) => wholeNumber(text, name, atLeast));
}

/** The same with an optional number, written as `--tail [n]`: without one it is `bare`. */
export function bareOrCountOption(
  flags: string,
  description: string,
  { atLeast, bare }: { atLeast: number; bare: number },
): Option<number | null> {
  const count = countOption(flags, description, { atLeast });
  const name = nameIn(flags);
  return {
    flags,
    description: `${description} (default: ${bare})`,
    read: (raw) => (raw.options.get(name) === true ? bare : count.read(raw)),
  };
}

/** An amount of money above 0, such as 2 or 0.50. */
export function amountOption(flags: string, description: string): Option<number | null> {
  return parsedOption(flags, description, (text, name) => amount(text, name));
}

export function choiceOption<T extends string>(
  flags: string,
  description: string,
  choices: readonly T[],
): Option<T | null> {
  const text = textOption(flags, description);
  return {
    flags,
    description: `${description} (${choices.join(", ")})`,
    choices,
    read: (raw) => oneOf(choices, text.read(raw), nameIn(flags)),
  };
}

/** Milliseconds, written as `90s`, `15m`, `2h`, `7d`, or `0`. */
export function durationOption(flags: string, description: string): Option<number | null> {
  return parsedOption(flags, description, (text, name) => durationMs(text, name));
}

/** For a text of its own form. Null when it is not given; `name` is the option's, for what is said of a text that does not parse. */
export function parsedOption<T>(
  flags: string,
  description: string,
  parse: (text: string, name: string) => T,
): Option<T | null> {
  const text = textOption(flags, description);
  return {
    flags,
    description,
    read: (raw) => {
      const given = text.read(raw);
      return given === null ? null : parse(given, nameIn(flags));
    },
  };
}

export function requiredArgument(name: string, description: string): Argument<string> {
  return {
    declaration: `<${name}>`,
    description,
    read: (raw) => {
      const text = textOrNull(raw.arguments.get(name));
      if (text !== null) return text;
      throw usageError(`<${name}> is missing`);
    },
  };
}

export function optionalArgument(name: string, description: string): Argument<string | null> {
  return {
    declaration: `[${name}]`,
    description,
    read: (raw) => textOrNull(raw.arguments.get(name)),
  };
}

/** One word or more, where others may be written behind the first. */
export function severalArguments(name: string, description: string): Argument<readonly string[]> {
  return { declaration: `<${name}...>`, description, read: (raw) => words(raw, `${name}...`) };
}

/** The same where there may be none. */
export function anyArguments(name: string, description: string): Argument<readonly string[]> {
  return { declaration: `[${name}...]`, description, read: (raw) => words(raw, `${name}...`) };
}

function words(raw: RawInput, place: string): readonly string[] {
  const given = raw.arguments.get(place);
  return Array.isArray(given) ? given.filter((each) => typeof each === "string") : [];
}

/** The words after `--`: a program and its arguments. */
export function programArgument(description: string): Argument<readonly string[]> {
  return {
    declaration: PROGRAM,
    description,
    read: (raw) => {
      if (raw.rest !== null && raw.rest.length > 0) return raw.rest;
      throw usageError("the command to run is missing", "write it last, after --: -- npm test");
    },
  };
}

/** The declaration of a `programArgument`. */
export const PROGRAM = "[-- <command...>]";

export function choiceArgument<T extends string>(
  name: string,
  description: string,
  choices: readonly T[],
): Argument<T | null> {
  const text = optionalArgument(name, `${description} (${choices.join(", ")})`);
  return { ...text, choices, read: (raw) => oneOf(choices, text.read(raw), `[${name}]`) };
}

/** A malformed call: exit code 2. */
export function usageError(message: string, hint = "see the command's --help"): WorkflowError {
  return new WorkflowError(failure("USAGE", message, hint));
}

/** The name of `-p, --prompt <text>` is `--prompt`. */
export function nameIn(flags: string): string {
  return /--[a-z][a-z0-9-]*/.exec(flags)?.[0] ?? flags;
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function oneOf<T extends string>(
  choices: readonly T[],
  text: string | null,
  name: string,
): T | null {
  const choice = choices.find((known) => known === text);
  if (text === null || choice !== undefined) return choice ?? null;
  throw usageError(`${name} must be one of ${choices.join(", ")}, not ${JSON.stringify(text)}`);
}

function wholeNumber(text: string, name: string, atLeast: number): number {
  const value = Number(text);
  if (/^[0-9]+$/.test(text) && Number.isSafeInteger(value) && value >= atLeast) return value;
  throw usageError(
    `${name} must be a whole number, ${atLeast} or more; it was ${JSON.stringify(text)}`,
  );
}

function amount(text: string, name: string): number {
  const value = Number(text);
  if (/^[0-9]{1,9}(\.[0-9]{1,6})?$/.test(text) && value > 0) return value;
  throw usageError(
    `${name} must be an amount above 0, such as 0.50; it was ${JSON.stringify(text)}`,
  );
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds; null: it is no duration. */
export function durationIn(text: string): number | null {
  if (text === "0") return 0;
  const [, count = "", unit = ""] = /^([0-9]{1,6})([smhd])$/.exec(text) ?? [];
  if (unit === "s" || unit === "m" || unit === "h" || unit === "d") {
    return Number(count) * UNIT_MS[unit];
  }
  return null;
}

function durationMs(text: string, name: string): number {
  const inMs = durationIn(text);
  if (inMs !== null) return inMs;
  throw usageError(
    `${name} must be a duration, such as 90s, 15m, 2h, 7d or 0; it was ${JSON.stringify(text)}`,
  );
}
