/** What a command line proves about a required command.
 *
 *  1. It counts where an exit code of 0 certainly belongs to that command: alone, run by a program that passes its
 *     exit code on (`timeout`, `sh -c`), or joined only by `&&`. Whatever follows it may only read files.
 *  2. A leading `cd <directory> &&` says where it runs; whether that is the step's directory is checked when the
 *     call is seen.
 *  3. When a line contains the command but does not count, the result says why. */
import type { EvidenceRequirement } from "@uncaged/workflow-protocol";
import { lineOfWords, sameCommands } from "./command-forms.ts";
import { isCommand } from "./command-rule.ts";
import { onlyReads } from "./known-programs.ts";
import { matchesPattern } from "./linear-pattern.ts";
import { readShellScript, type SimpleCommand } from "./shell-script.ts";

type Asked = Pick<EvidenceRequirement, "input" | "command">;

/** `why`: the command is there, but the line does not prove it. */
export function fitOfCommand(asked: Asked, line: string): boolean | { why: string } {
  const commands = readShellScript(line);
  if (commands === null) {
    return looksLike(asked, line)
      ? { why: "it was not seen by itself: the line says more than one plain command" }
      : false;
  }
  const at = commands.findIndex((command) => isAsked(asked, command, line));
  const found = commands[at];
  if (found === undefined) return looksLike(asked, line) ? { why: whyNot(asked, commands) } : false;
  if (commands.some(({ nested }) => nested))
    return { why: "it was not seen by itself, but inside of another command" };
  const joined = commands.slice(0, -1).find(({ joiner }) => joiner !== "&&");
  if (joined !== undefined || commands.at(-1)?.joiner !== "end") {
    return { why: WHY_JOINED[joined?.joiner ?? "&"] ?? WHY_JOINED[";"] ?? "" };
  }
  const before = commands.slice(leadingDirectory(line) === null ? 0 : 1, at);
  if (before.some(changesShell)) {
    return { why: "commands before it on the same line may have changed its shell: run it alone" };
  }
  return commands.slice(at + 1).every(onlyReads)
    ? true
    : { why: "commands after it on the same line may have changed files: run it alone" };
}

/** The line certainly leaves the step's files as they are. */
export function leavesFiles(line: string): boolean {
  return readShellScript(line)?.every(onlyReads) ?? false;
}

/** `cd <directory> && …`: the directory as written; null: the line begins otherwise. */
export function leadingDirectory(line: string): string | null {
  const [first] = readShellScript(line) ?? [];
  if (first === undefined || first.nested || first.joiner !== "&&" || first.redirections.length > 0)
    return null;
  const [cd, directory, ...more] = first.words;
  if (cd?.text !== "cd" || directory === undefined || more.length > 0) return null;
  return directory.literal && !directory.text.startsWith("-") ? directory.text : null;
}

/** What a line does to a persistent shell. `directory`: it changes directory once, to this one; anything else that
 *  affects later commands, or cannot be determined, is `any`. */
export function effectOnShell(line: string): "none" | "any" | { directory: string } {
  const commands = readShellScript(line);
  if (commands === null) return "any";
  const alone = commands.length === 1 ? leadingDirectory(`${line.trim()} && :`) : null;
  const directory = alone ?? leadingDirectory(line);
  const rest = directory === null ? commands : commands.slice(1);
  if (rest.some(changesShell)) return "any";
  return directory === null ? "none" : { directory };
}

function isAsked({ input, command }: Asked, seen: SimpleCommand, line: string): boolean {
  const forms = sameCommands(seen);
  if (command !== undefined) return forms.some((words) => isCommand(command, words));
  if (input === undefined || forms.length === 0) return false;
  if (forms.some((words) => matchesPattern(input, lineOfWords(words)) === true)) return true;
  // As written: an author's pattern may include the quotes.
  return (
    seen.joiner === "end" &&
    !seen.nested &&
    isWholeLine(seen, line) &&
    matchesPattern(input, line.trim()) === true
  );
}

function isWholeLine({ assignments }: SimpleCommand, line: string): boolean {
  return assignments.length === 0 && readShellScript(line)?.length === 1;
}

/** Only used to word the message to the agent. */
function looksLike({ input, command }: Asked, line: string): boolean {
  if (command !== undefined) return line.includes(command.filter((each) => each !== "*").join(" "));
  return input !== undefined && LOOSE.some((loose) => matchesPattern(loose(input), line) === true);
}

/** The pattern without its anchors. */
const LOOSE = [(pattern: string) => pattern.replace(/^\^/, "").replace(/(?<!\\)\$$/, "")] as const;

function whyNot(asked: Asked, commands: readonly SimpleCommand[]): string {
  const near = commands.find((command) => {
    const line = lineOfWords(command.words.map(({ text }) => text));
    return looksLike(asked, line);
  });
  if (near === undefined) return "it was not seen by itself";
  if (near.redirections.length > 0)
    return "its output went into a file, which changes files: run it without";
  if (near.assignments.length > 0) {
    return `the variable ${near.assignments[0]?.name ?? ""} was set for it, which may change what it does: run it without`;
  }
  return "it was seen with other arguments: run it exactly as it is asked for";
}

const WHY_JOINED: Readonly<Record<string, string>> = {
  "|": "its exit code is not known, because that of a pipe (`|`) is its last command's: run it without the pipe",
  "||": "its exit code is not known, because `||` hides it: run it alone",
  ";": "its exit code is not known, because that of a list is its last command's: run it alone",
  "&": "its exit code is not known, because it ran in the background: run it alone",
};

function changesShell(command: SimpleCommand): boolean {
  return changesMore(command) || MOVES.has(command.words[0]?.text ?? "");
}

function changesMore({ words: [program] }: SimpleCommand): boolean {
  return program === undefined || !program.literal || CHANGES_SHELL.has(program.text);
}

const MOVES = new Set(["cd", "pushd", "popd"]);
const CHANGES_SHELL = new Set([
  ".",
  "alias",
  "builtin",
  "declare",
  "enable",
  "eval",
  "exec",
  "export",
  "hash",
  "let",
  "local",
  "mapfile",
  "read",
  "readonly",
  "set",
  "shopt",
  "source",
  "trap",
  "typeset",
  "unalias",
  "unset",
]);
