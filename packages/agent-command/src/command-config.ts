import type { AgentCall, EnvironmentChoice } from "@uncaged/workflow-util-agent";

type Awaitable<T> = T | Promise<T>;

/** How a command ended and what it said. */
export type CommandResult = {
  /** For a program ended by a signal: 128 plus the signal's number, as in shells. */
  exitCode: number;
  signal: NodeJS.Signals | null;
  /** stdout and stderr line by line as they arrived, without terminal escape codes. */
  output: string;
  stdout: string;
  stderr: string;
  durationMs: number;
};

export type CommandAgentConfig = EnvironmentChoice &
  ResultChoice & {
    /** The program: its name on `PATH`, or its path. There is no shell: `*`, `$X` and `|` have no meaning. */
    command: string;
    /** Passed exactly as they are. Default none. */
    args?: readonly string[] | ((call: AgentCall) => Awaitable<readonly string[]>) | undefined;
    /** `input` (default): task, turn and latest steps, as `buildThreadInput` returns them. `none`: stdin is empty. */
    stdin?: "input" | "none" | ((call: AgentCall) => Awaitable<string>) | undefined;
    /** Working directory, relative to the step's own. Default the step's own. */
    cwd?: string | undefined;
    /** Milliseconds without output after which the command is ended. Default: no limit. */
    idleTimeoutMs?: number | undefined;
    /** Milliseconds after which the command is ended, whatever it is doing. Default: no limit. */
    timeoutMs?: number | undefined;
    /** Milliseconds between SIGINT, SIGTERM and SIGKILL when it has to be ended. Default 2,500. */
    graceMs?: number | undefined;
    /** Limit for what is kept of its output: the beginning and the end. Default 1 MiB. */
    maxOutputBytes?: number | undefined;
    /** What happens to processes that outlive the command. Default `end`. */
    leftovers?: "end" | "keep" | undefined;
    /** What to do when the program is not installed. */
    installHint?: string | undefined;
  };

/** Where the role's meta comes from; it is always checked against the role's schema. */
type ResultChoice =
  | {
      /** `exit` (default): `{ exitCode, output }`. `json`: what stdout is or ends with: a JSON object, plain or in a
       *  fenced block, or YAML front matter. */
      output?: "exit" | "json" | undefined;
      toMeta?: undefined;
    }
  | {
      /** Computes the meta from the result. */
      toMeta: (result: CommandResult, call: AgentCall) => unknown;
      output?: undefined;
    };
