/** Whether a rule on commands matches a command line. What allows or proves is read narrowly, what denies widely:
 *
 *  1. An `allow` rule matches one simple command, written out; not the options that make a reading program write,
 *     unless `command` names them.
 *  2. A `deny` rule matches any command of the line, however it is quoted, wrapped or nested. A line that cannot be
 *     parsed, or whose commands only the shell can expand, may be the denied one. */
import { bareWords, isCarrier, lineOfWords } from "./command-forms.ts";
import { baseName, gitCommand, hasWritingOption, onlyReads, SHELLS } from "./known-programs.ts";
import { matchesPattern } from "./linear-pattern.ts";
import { readShellScript, type SimpleCommand } from "./shell-script.ts";

/** At least one of them. */
export type CommandRule = {
  input?: string | undefined;
  command?: readonly string[] | undefined;
};

/** As the last word of `command`, stands for any further words. */
const ANY_WORDS = "*";

export function allowsLine(rule: CommandRule, line: string): boolean {
  const words = bareWords(line);
  if (words === null) return false;
  const { input, command } = rule;
  if (command !== undefined && !isCommand(command, words)) return false;
  if (input === undefined) return true;
  if (command === undefined && hasWritingOption(words)) return false;
  return matches(input, [line.trim(), lineOfWords(words)]) === true;
}

/** Exactly these words, or with a final `*` at least those before it. */
export function isCommand(command: readonly string[], words: readonly string[]): boolean {
  const open = command.at(-1) === ANY_WORDS;
  const known = open ? command.slice(0, -1) : command;
  if (known.length === 0 || (open ? words.length < known.length : words.length !== known.length))
    return false;
  return known.every((word, at) => word === words[at]);
}

/** Null: undecidable, because the rule or the line cannot be read. */
export function deniesLine(rule: CommandRule, line: string): boolean | null {
  const { input } = rule;
  const raw = input === undefined ? false : matchesPattern(input, line);
  if (raw !== false && rule.command === undefined) return raw;
  return deniesScript(rule, line, 0);
}

const MOST_DEPTH = 8;
/** Each word is tried as the beginning of a command. */
const MOST_WORDS = 256;

function deniesScript(rule: CommandRule, script: string, depth: number): boolean | null {
  const commands = depth > MOST_DEPTH ? null : readShellScript(script);
  if (commands === null) return null;
  let verdict: boolean | null = false;
  for (const [at, command] of commands.entries()) {
    const piped = commands[at - 1]?.joiner === "|";
    const found = deniesCommand(rule, command, { piped, depth });
    if (found === true) return true;
    if (found === null) verdict = null;
  }
  return verdict;
}

function deniesCommand(
  rule: CommandRule,
  command: SimpleCommand,
  { piped, depth }: { piped: boolean; depth: number },
): boolean | null {
  const words = command.words.map(({ text }) => text);
  const [program] = command.words;
  if (program === undefined) return false;
  const reads = onlyReads(command) && program.text !== "git";
  if (words.length > MOST_WORDS) return reads ? false : null;
  const starts = reads ? [0] : words.keys();
  for (const start of starts) {
    const own = words.slice(start);
    if (spellings(own).some((spelling) => fits(rule, spelling))) return true;
  }
  if (reads) return false;
  let verdict: boolean | null = command.words.every(({ literal }) => literal)
    ? false
    : unsure(rule, command);
  for (const script of scriptsIn(words, { piped, command })) {
    const found = script === null ? null : deniesScript(rule, script, depth + 1);
    if (found === true) return true;
    if (found === null) verdict = null;
  }
  return verdict;
}

function fits({ input, command }: CommandRule, words: readonly string[]): boolean {
  if (command !== undefined) {
    const known = command.at(-1) === ANY_WORDS ? command.slice(0, -1) : command;
    if (!known.every((word, at) => word === words[at])) return false;
  }
  return input === undefined || matches(input, [lineOfWords(words), words.join(" ")]) === true;
}

/** The same call with the program's plain name, and without options in between. */
function spellings([program = "", ...args]: readonly string[]): readonly (readonly string[])[] {
  const name = baseName(program);
  if (name === "git") return [args, gitCommand(args)].map((rest) => [name, ...rest]);
  const bare = args.filter((each) => !each.startsWith("-"));
  const valueless = args.filter((each, at) => {
    const before = args[at - 1] ?? "";
    return !each.startsWith("-") && !(before.startsWith("-") && !before.includes("="));
  });
  return [args, bare, valueless].map((rest) => [name, ...rest]);
}

/** For a command with words that only the shell can expand. */
function unsure(
  { input, command }: CommandRule,
  { words: [program, ...args] }: SimpleCommand,
): null | false {
  if (program === undefined || !program.literal || isCarrier(program.text)) return null;
  if (input !== undefined) return null;
  const [name = "", ...denied] = command ?? [];
  if (baseName(program.text) !== name) return false;
  return denied.length > 0 || args.length > 0 ? null : false;
}

/** Scripts that a command passes to a shell; null: unknown. */
function scriptsIn(
  words: readonly string[],
  { piped, command }: { piped: boolean; command: SimpleCommand },
): (string | null)[] {
  const found: (string | null)[] = [];
  for (const [at, word] of words.entries()) {
    const name = baseName(word);
    const rest = words.slice(at + 1);
    if (SHELLS.has(name) && (at === 0 || isCarrier(words[0] ?? ""))) {
      const flag = rest.findIndex((each) => /^-[a-z]*c[a-z]*$/.test(each));
      const first = rest.find((each) => !each.startsWith("-"));
      const fed = piped || command.redirections.some(({ operator }) => operator.startsWith("<"));
      if (flag !== -1) found.push(rest.slice(flag + 1).find((each) => !/^[-+]/.test(each)) ?? null);
      else if (first === undefined && (fed || at > 0)) found.push(null);
    }
    if (name === "eval" && at === 0) found.push(rest.join(" "));
    if (name === "env") {
      const split = rest.findIndex((each) => each === "-S" || each === "--split-string");
      if (split !== -1) found.push(rest.slice(split + 1).join(" "));
      const joined = rest.find((each) => /^(?:-S.|--split-string=)/.test(each));
      if (joined !== undefined) found.push(joined.replace(/^(?:-S|--split-string=)/, ""));
    }
    if (name === "su" || name === "script" || name === "runuser") {
      const flag = rest.indexOf("-c");
      if (flag !== -1) found.push(rest[flag + 1] ?? null);
    }
    if ((name === "ssh" || name === "watch" || name === "parallel") && at === 0)
      found.push(...rest.filter((each) => each.includes(" ")));
  }
  if (baseName(words[0] ?? "") === "xargs" && !feedsReader(words)) found.push(null);
  return found;
}

/** `xargs wc -l`: whatever is appended to a command that only reads changes nothing. */
function feedsReader(words: readonly string[]): boolean {
  return words.some((word, at) => {
    const rest = words.slice(at).map((text) => ({ text, literal: true }));
    const command = {
      assignments: [],
      words: rest,
      redirections: [],
      joiner: "end",
      nested: true,
    } as const;
    return at > 0 && word !== "git" && !word.startsWith("-") && onlyReads(command);
  });
}

/** Null: the pattern cannot be read. */
function matches(pattern: string, lines: readonly string[]): boolean | null {
  const found = lines.map((line) => matchesPattern(pattern, line));
  return found.includes(true) ? true : found.includes(null) ? null : false;
}
