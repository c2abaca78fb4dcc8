/** What is known about programs by their names. Anyone who puts another program behind such a name defeats this:
 *  these are rules of thumb for what a watched agent does in its own shell, not proof. */
import type { Redirection, SimpleCommand } from "./shell-script.ts";

/** The command reads, prints or waits, and changes no file. Words that only the shell can expand are checked where
 *  one of the program's options would write. */
export function onlyReads({ words, redirections }: SimpleCommand): boolean {
  if (!redirections.every(isHarmless)) return false;
  const [program, ...rest] = words;
  if (program === undefined) return true;
  if (!program.literal) return false;
  const args = rest.map(({ text }) => text);
  if (program.text === "git")
    return onlyReadsInGit(
      args,
      rest.every(({ literal }) => literal),
    );
  if (PLAIN_READERS.has(program.text)) return true;
  if (VERSIONED.has(program.text))
    return args.length === 1 && /^(?:-v|-V|--version)$/.test(args[0] ?? "");
  if (OWN.has(program.text)) return OWN_READS.test(args.slice(0, 2).join(" "));
  const writes = WRITING_OPTIONS.get(program.text);
  if (writes === undefined) return false;
  return rest.every(({ literal }) => literal) && !args.some((each) => writes.test(each));
}

/** An option with which a program that otherwise only reads writes files, or starts other programs. */
export function hasWritingOption(words: readonly string[]): boolean {
  const [program = "", ...args] = words;
  const writes = program === "git" ? GIT_WRITES : WRITING_OPTIONS.get(program);
  return writes !== undefined && args.some((each) => writes.test(each));
}

/** Output that is merged or discarded. */
export function isHarmless({ operator, target }: Redirection): boolean {
  if (!target.literal) return false;
  if (operator === ">&" || operator === "<&") return /^\d$/.test(target.text);
  return !operator.startsWith("<<") && target.text === "/dev/null";
}

/** The name of a program without its folder. */
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

/** Programs that take a script after `-c`, or from their stdin. */
export const SHELLS: ReadonlySet<string> = new Set([
  "sh",
  "bash",
  "dash",
  "ash",
  "zsh",
  "ksh",
  "rbash",
]);

/** Git's arguments without the options before its command. */
export function gitCommand(args: readonly string[]): readonly string[] {
  let at = 0;
  while (at < args.length && (args[at] ?? "").startsWith("-")) {
    at += GIT_TAKES_VALUE.has(args[at] ?? "") ? 2 : 1;
  }
  return args.slice(at);
}

function onlyReadsInGit(args: readonly string[], literal: boolean): boolean {
  const rest = gitCommand(args);
  const before = args.slice(0, args.length - rest.length);
  if (before.some((each) => GIT_RUNS_OTHERS.test(each))) return false;
  const [command = ""] = rest;
  if (!GIT_KEEPS_FILES.has(command)) return false;
  return literal ? !rest.some((each) => GIT_WRITES.test(each)) : GIT_TAKES_TEXT.has(command);
}

const GIT_TAKES_VALUE = new Set([
  "-C",
  "-c",
  "--attr-source",
  "--config-env",
  "--exec-path",
  "--git-dir",
  "--namespace",
  "--super-prefix",
  "--work-tree",
]);
const GIT_RUNS_OTHERS = /^(?:-c|--config-env|--exec-path|--git-dir|--work-tree)/;
const GIT_WRITES = /^--(?:out|ext-diff|textconv|open-files|upload-pack|receive-pack|exec)|^-O/;
/** Git commands that leave the work tree's files as they are: reading, and storing what is there. */
const GIT_KEEPS_FILES = new Set([
  "add",
  "blame",
  "branch",
  "cat-file",
  "check-ignore",
  "commit",
  "count-objects",
  "describe",
  "diff",
  "diff-tree",
  "for-each-ref",
  "grep",
  "help",
  "log",
  "ls-files",
  "ls-tree",
  "merge-base",
  "name-rev",
  "push",
  "reflog",
  "remote",
  "rev-list",
  "rev-parse",
  "shortlog",
  "show",
  "show-ref",
  "status",
  "tag",
  "var",
  "version",
]);
/** May have words that only the shell can expand, such as a message. */
const GIT_TAKES_TEXT = new Set(["add", "commit", "tag"]);

const PLAIN_READERS = new Set([
  ":",
  "[",
  "basename",
  "cat",
  "cd",
  "cksum",
  "cmp",
  "comm",
  "cut",
  "date",
  "df",
  "diff",
  "dirname",
  "du",
  "echo",
  "egrep",
  "exit",
  "false",
  "fgrep",
  "file",
  "fold",
  "free",
  "grep",
  "head",
  "hexdump",
  "hostname",
  "id",
  "jq",
  "ls",
  "md5sum",
  "nl",
  "nproc",
  "od",
  "paste",
  "pgrep",
  "printenv",
  "printf",
  "ps",
  "pwd",
  "readlink",
  "realpath",
  "rev",
  "seq",
  "sha1sum",
  "sha256sum",
  "sleep",
  "stat",
  "strings",
  "tac",
  "tail",
  "test",
  "tr",
  "true",
  "type",
  "uname",
  "uptime",
  "wait",
  "wc",
  "whereis",
  "which",
  "who",
  "whoami",
]);

const WRITING_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ["find", /^-(?:delete|exec|execdir|ok|okdir|fls|fprint)/],
  ["rg", /^--(?:pre|hostname-bin)/],
  ["sort", /^-[a-zA-Z]*[oT]|^--(?:out|compress-program)/],
  ["tree", /^-[a-zA-Z]*[oR]|^--output/],
  ["xxd", /^-[a-z]*r/],
]);

const VERSIONED = new Set([
  "bun",
  "cargo",
  "deno",
  "go",
  "java",
  "node",
  "npm",
  "npx",
  "pnpm",
  "python",
  "python3",
  "rustc",
  "tsc",
  "yarn",
]);

/** The engine's own command: every agent is told how to load more of the thread with it. */
const OWN = new Set(["uncaged-workflow", "uwf"]);
const OWN_READS =
  /^(?:thread (?:context|show|list|live|diff|verify)|cas (?:get|put|list|has)|skill\b.*)$/;
