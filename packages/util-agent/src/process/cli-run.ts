import type { CapturedOutput, Redactor } from "@uncaged/workflow-util";
import type { Environment, EnvironmentChoice } from "./cli-environment.ts";
import type { Isolation } from "./isolation.ts";
import type { OutputLine } from "./line-reader.ts";

/** Options for every program that is started, whether it just runs to its end or is talked to. */
export type OpenCliOptions = EnvironmentChoice & {
  /** Working directory; it must exist. */
  cwd: string;
  /** The step's process tag (`runtime.step.processTag`). */
  tag: string;
  /** What it is kept to; null or left out: nothing. */
  isolation?: Isolation | null | undefined;
  /** Ends the program, and everything it started, when it aborts. */
  signal?: AbortSignal | undefined;
  /** Milliseconds without output after which the program is ended. */
  idleTimeoutMs?: number | undefined;
  /** Milliseconds after which the program is ended, whatever it is doing. */
  timeoutMs?: number | undefined;
  /** Milliseconds to wait after SIGINT, and again after SIGTERM. Default 2,500. */
  graceMs?: number | undefined;
  /** Milliseconds after the program's exit during which its pipes are still read. Default 2,000. */
  drainMs?: number | undefined;
  /** Limit for what is kept of each stream: its beginning and its end. Default 1 MiB. */
  maxOutputBytes?: number | undefined;
  /** Longest line passed to `onLine`, in characters. Default 1 MiB. */
  maxLineChars?: number | undefined;
  /** Called for each line as it arrives. Until it resolves, nothing more is read from that stream. If it throws, the
   *  program is ended and the promise of its end rejects with the same error. */
  onLine?: ((line: OutputLine) => void | Promise<void>) | undefined;
  /** Removes secrets from these streams, from lines as well as from what is kept, before anything is cut off. The
   *  output of a program that is talked to over stdout is parsed first. */
  redact?: { redactor: Redactor; streams: "stderr" | "both" } | undefined;
  /** What happens to processes that outlive the program. `end` (default): a step's work is over with the step.
   *  `keep`: for a program whose task is to start a service. */
  leftovers?: "end" | "keep" | undefined;
  /** What to do when the program is not installed, for the error's hint. */
  installHint?: string | undefined;
  /** The environment to select from. Default `process.env`. */
  hostEnv?: Environment | undefined;
};

export type SpawnCliOptions = OpenCliOptions & {
  /** Written to stdin, which is then closed; null or left out: stdin is empty. */
  stdin?: string | null | undefined;
};

/** Why the program was ended early; `stop`: by the caller that opened it. */
export type CliStop = "idle" | "total" | "abort" | "stop";

export type CliRun = {
  /** Null when a signal ended the program. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Null: the program ended by itself. */
  stoppedBy: CliStop | null;
  stdout: CapturedOutput;
  stderr: CapturedOutput;
  /** Unix milliseconds. */
  startedAt: number;
  /** Unix milliseconds. */
  completedAt: number;
  /** Number of processes that outlived the program and were ended. */
  leftovers: number;
};
