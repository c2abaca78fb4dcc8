/** Runs git.
 *
 *  1. No shell: arguments are a vector. Names that come from outside follow `--end-of-options`, or `--` for paths.
 *  2. No hook, no file system monitor, no pager, no editor, no prompt, no helper of a repository runs; nothing of the
 *     user's or the machine's configuration counts (`git-scope`).
 *  3. Filters (`filter.<name>.clean`) and merge drivers of a repository's own configuration would run where files are
 *     read or written. So such commands get a `gitDir` of our own, never that of the repository. */
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { FIXED_ARGS, type GitScope, gitEnvironment } from "./git-scope.ts";

export type GitOptions = {
  /** Null: the command needs no repository, or looks for one from `cwd`. */
  scope: GitScope | null;
  cwd: string;
  /** Written to git's stdin. */
  input?: string | Uint8Array;
  /** More configuration, `name=value`; it counts more than any file. */
  config?: readonly string[];
  /** More environment, for example who commits. */
  env?: Readonly<Record<string, string>>;
  /** Configuration of the user and of the machine counts. Only for listing it. Default false. */
  usersConfig?: boolean;
  /** How output is read. `latin1` keeps every byte, for names of files that are not UTF-8. Default `utf8`. */
  encoding?: "utf8" | "latin1";
  /** Most bytes of output. Default 64 MiB. */
  maxBytes?: number;
  /** Default 10 minutes. */
  timeoutMs?: number;
  signal?: AbortSignal;
};

export type GitRun = { exitCode: number; stdout: string; stderr: string };

const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 600_000;
const SHOWN_CHARS = 2_000;

/** Runs git and returns how it exited, for commands whose exit code is an answer. An error (`GIT_FAILED`): git could
 *  not be started, was ended by a signal, a timeout or the caller, or printed too much. */
export async function tryGit(
  args: readonly string[],
  options: GitOptions,
): Promise<Result<GitRun, Failure>> {
  const config = (options.config ?? []).flatMap((pair) => ["-c", pair]);
  const { usersConfig = false } = options;
  // Loaded here, because most commands run no program and would start a sixth slower for it.
  const { execa } = await import("execa");
  const result = await execa("git", [...FIXED_ARGS, ...config, ...args], {
    cwd: options.cwd,
    env: { ...gitEnvironment(options.scope, process.env, { usersConfig }), ...options.env },
    encoding: options.encoding ?? "utf8",
    extendEnv: false,
    reject: false,
    killDescendants: true,
    stripFinalNewline: false,
    maxBuffer: options.maxBytes ?? MAX_BYTES,
    timeout: options.timeoutMs ?? TIMEOUT_MS,
    ...(options.input === undefined ? { stdin: "ignore" as const } : { input: options.input }),
    ...(options.signal === undefined ? {} : { cancelSignal: options.signal }),
  });
  const { exitCode, stdout, stderr } = result;
  if (exitCode === undefined || result.isMaxBuffer || result.timedOut || result.isCanceled)
    return err(gitFailed(args, result.shortMessage ?? "it was ended"));
  return ok({ exitCode, stdout, stderr });
}

/** Runs git and returns its output. An error (`GIT_FAILED`) as well when it exits with anything but 0. */
export async function runGit(
  args: readonly string[],
  options: GitOptions,
): Promise<Result<string, Failure>> {
  const run = await tryGit(args, options);
  if (!run.ok) return run;
  const { exitCode, stdout, stderr } = run.value;
  if (exitCode === 0) return ok(stdout);
  return err(gitFailed(args, stderr.trim() || `it exited with ${exitCode}`));
}

export function gitFailed(args: readonly string[], reason: string): Failure {
  const what = args.find((arg) => !arg.startsWith("-")) ?? "git";
  if (/ENOENT/.test(reason))
    return failure(
      "GIT_FAILED",
      "git is not installed",
      "install git 2.36 or later, then try again",
    );
  const hint = isFull(reason)
    ? "free some space, then try again"
    : "see what git says, then try again";
  return failure("GIT_FAILED", `git ${what}: ${reason.slice(0, SHOWN_CHARS)}`, hint);
}

/** Whether this is what git says on a full disk. */
export function isFull(said: string): boolean {
  return /No space left on device|Disk quota exceeded/.test(said);
}
