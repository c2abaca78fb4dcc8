import type { AgentCall, EnvironmentChoice } from "@uncaged/workflow-util-agent";

type Awaitable<T> = T | Promise<T>;

/** How a command ended and what it said. */
export type CommandResult = {
  /** Of a program that a signal ended: 128 and the signal's number, as shells have it. */
  exitCode: number;
  signal: NodeJS.Signals | null;
  /** stdout and stderr line by line as they came, without terminal escape codes. */
  output: string;
  stdout: string;
  stderr: string;
  durationMs: number;
};

export type CommandAgentConfig = EnvironmentChoice &
  ResultChoice & {
    /** A program: its name on `PATH`, or its path. There is no shell: `*`, `$X` and `|` mean nothing. */
    command: string;
    /** Handed over exactly as they are. Default none. */
    args?: readonly string[] | ((call: AgentCall) => Awaitable<readonly string[]>) | undefined;
    /** `input` (default): task, turn and latest steps, as `buildThreadInput` has them. `none`: stdin is empty. */
    stdin?: "input" | "none" | ((call: AgentCall) => Awaitable<string>) | undefined;
    /** Directory to run in, relative to the step's own. Default the step's own. */
    cwd?: string | undefined;
    /** Milliseconds without output after which the command is ended. Default: no limit. */
    idleTimeoutMs?: number | undefined;
    /** Milliseconds after which the command is ended whatever it does. Default: no limit. */
    timeoutMs?: number | undefined;
    /** Milliseconds between SIGINT, SIGTERM and SIGKILL when it has to be ended. Default 2,500. */
    graceMs?: number | undefined;
    /** Kept of what it prints: the beginning and the end. Default 1 MiB. */
    maxOutputBytes?: number | undefined;
    /** What becomes of processes that outlive the command. Default `end`. */
    leftovers?: "end" | "keep" | undefined;
    /** What to do when the program is not installed. */
    installHint?: string | undefined;
  };

/** Where the role's meta comes from; it is checked against the role's schema in any case. */
type ResultChoice =
  | {
      /** `exit` (default): `{ exitCode, output }`. `json`: what stdout is or ends with: a JSON object, plain
       *  or in a fenced block, or YAML front matter. */
      output?: "exit" | "json" | undefined;
      toMeta?: undefined;
    }
  | {
      /** Makes the meta of the result. */
      toMeta: (result: CommandResult, call: AgentCall) => unknown;
      output?: undefined;
    };
