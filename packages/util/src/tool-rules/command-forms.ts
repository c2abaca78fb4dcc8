/** Different spellings of one command that certainly do the same. */
import { baseName, isHarmless, SHELLS } from "./known-programs.ts";
import { readShellScript, type SimpleCommand } from "./shell-script.ts";

/** The words of one simple command: nothing before its name, no word that only a shell can expand, its output at
 *  most merged or discarded; null: the line is anything else. */
export function bareWords(line: string): readonly string[] | null {
  const [command, ...more] = readShellScript(line) ?? [];
  if (command === undefined || more.length > 0 || command.nested || command.joiner !== "end")
    return null;
  return command.assignments.length > 0 ? null : plainWords(command);
}

/** The command's words, if the shell leaves them alone and its output goes nowhere that matters. */
function plainWords({ words, redirections }: SimpleCommand): readonly string[] | null {
  if (words.length === 0 || !words.every(({ literal }) => literal)) return null;
  return redirections.every(isHarmless) ? words.map(({ text }) => text) : null;
}

/** The command in its plainest spelling: a word with other characters is quoted, so that two commands never have the
 *  same line. */
export function lineOfWords(words: readonly string[]): string {
  return words.map(quotedWord).join(" ");
}

/** A word in a form that a shell reads back. */
function quotedWord(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The command itself, and what remains when wrapping programs are removed, innermost last; each with the other ways
 *  to call the same package script. */
export function sameCommands(command: SimpleCommand): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  let words = command.assignments.every(
    ({ name, value }) => value.literal && isHarmlessVariable(name),
  )
    ? plainWords(command)
    : null;
  while (words !== null) {
    found.push(...scriptCalls(words));
    words = carried(words);
  }
  return found;
}

/** The command that a wrapping program runs; null: none that is known for certain. */
function carried(words: readonly string[]): readonly string[] | null {
  const [program = "", ...args] = words;
  switch (program) {
    case "command":
    case "time":
      return isPlainStart(args) ? args : null;
    case "env": {
      const at = args.findIndex((each) => !/^[A-Za-z_]\w*=/.test(each));
      const names = args.slice(0, Math.max(0, at)).map((each) => each.slice(0, each.indexOf("=")));
      return at !== -1 && names.every(isHarmlessVariable) && isPlainStart(args.slice(at))
        ? args.slice(at)
        : null;
    }
    case "timeout":
      return afterTimeout(args);
    default:
      return SHELLS.has(program) ? shellScript(args) : null;
  }
}

function isPlainStart([first = ""]: readonly string[]): boolean {
  return first !== "" && !first.startsWith("-");
}

/** `timeout [-k 5s] 100 npm test` exits with the command's code, or with 124. */
function afterTimeout(args: readonly string[]): readonly string[] | null {
  const at = args[0] === "-k" ? 2 : 0;
  const rest = args.slice(at + 1);
  return /^\d+(?:\.\d+)?[smhd]?$/.test(args[at] ?? "") && isPlainStart(rest) ? rest : null;
}

/** `sh -c 'npm test'` */
function shellScript([flag = "", script, ...more]: readonly string[]): readonly string[] | null {
  if (!/^-l?e?c$/.test(flag) || script === undefined || more.length > 0) return null;
  const [command, ...others] = readShellScript(script) ?? [];
  if (command === undefined || others.length > 0 || command.nested || command.joiner !== "end")
    return null;
  const harmless = command.assignments.every(
    ({ name, value }) => value.literal && isHarmlessVariable(name),
  );
  return harmless ? plainWords(command) : null;
}

/** Variables that control how a program prints, or say that nobody is at the terminal. */
function isHarmlessVariable(name: string): boolean {
  return HARMLESS_VARIABLES.has(name) || name.startsWith("LC_");
}

const HARMLESS_VARIABLES = new Set([
  "CI",
  "COLUMNS",
  "FORCE_COLOR",
  "LANG",
  "LINES",
  "NO_COLOR",
  "TERM",
  "TZ",
]);

/** `npm t`, `npm test` and `npm run test` are the same script; likewise for pnpm and yarn. */
function scriptCalls(words: readonly string[]): readonly (readonly string[])[] {
  const [manager = "", ...args] = words;
  const short = MANAGERS.get(manager);
  if (short === undefined) return [words];
  const [verb = "", ...rest] = args;
  const script = RUN_VERBS.has(verb) ? rest[0] : short.has(verb) ? "test" : undefined;
  if (script !== "test") return [words];
  const more = RUN_VERBS.has(verb) ? rest.slice(1) : rest;
  return [["test"], ["run", "test"], ...[...short].map((each) => [each])].map((call) => [
    manager,
    ...call,
    ...more,
  ]);
}

const RUN_VERBS = new Set(["run", "run-script"]);
const MANAGERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["npm", new Set(["test", "t", "tst"])],
  ["pnpm", new Set(["test", "t"])],
  ["yarn", new Set(["test"])],
]);

/** Programs that run a command given in their arguments. */
export function isCarrier(program: string): boolean {
  return CARRIERS.has(baseName(program));
}

const CARRIERS = new Set([
  ".",
  "builtin",
  "busybox",
  "chroot",
  "chrt",
  "command",
  "doas",
  "env",
  "eval",
  "exec",
  "find",
  "flock",
  "ionice",
  "nice",
  "nohup",
  "parallel",
  "setsid",
  "source",
  "ssh",
  "stdbuf",
  "strace",
  "sudo",
  "taskset",
  "time",
  "timeout",
  "trap",
  "unshare",
  "watch",
  "xargs",
]);
