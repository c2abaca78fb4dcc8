import type { Redactor } from "@uncaged/workflow-util";
import type { CapturedOutput } from "./captured-output.ts";
import type { Environment, EnvironmentChoice } from "./cli-environment.ts";
import type { OutputLine } from "./line-reader.ts";

/** What holds for every program that is started, whether it is run to its end or talked to. */
export type OpenCliOptions = EnvironmentChoice & {
  /** Directory to run in; it must exist. */
  cwd: string;
  /** The step's run mark (`runtime.step.runMark`). */
  mark: string;
  /** Ends the program, and all that it started, when it aborts. */
  signal?: AbortSignal | undefined;
  /** Milliseconds without output after which the program is ended. */
  idleTimeoutMs?: number | undefined;
  /** Milliseconds after which the program is ended whatever it does. */
  timeoutMs?: number | undefined;
  /** Milliseconds after SIGINT, and again after SIGTERM, before the next step of the stop. Default 2,500. */
  graceMs?: number | undefined;
  /** Milliseconds after the program's exit in which its pipes may still be read. Default 2,000. */
  drainMs?: number | undefined;
  /** Kept of each stream: the beginning and the end. Default 1 MiB. */
  maxOutputBytes?: number | undefined;
  /** Longest line that `onLine` gets, in characters. Default 1 MiB. */
  maxLineChars?: number | undefined;
  /** Each line as it comes. While it has not resolved, nothing more is read from that stream. When it
   *  throws, the program is ended and the promise of its end rejects with the same error. */
  onLine?: ((line: OutputLine) => void | Promise<void>) | undefined;
  /** Takes secrets out of what these streams say, lines as well as what is kept, before anything is cut off. A program
   *  that is talked to by stdout is understood first. */
  redact?: { redactor: Redactor; streams: "stderr" | "both" } | undefined;
  /** What becomes of processes that outlive the program. `end` (default): a step's work is over with
   *  the step. `keep`: for a program whose task is to start a service. */
  leftovers?: "end" | "keep" | undefined;
  /** What to do when the program is not installed, for the error's hint. */
  installHint?: string | undefined;
  /** Our own environment. Default `process.env`. */
  hostEnv?: Environment | undefined;
};

export type SpawnCliOptions = OpenCliOptions & {
  /** Written to stdin, which is then closed; null or nothing: stdin is empty. */
  stdin?: string | null | undefined;
};

/** Why the program was ended before its time; `stop`: by whoever opened it. */
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
  /** How many processes outlived the program and were ended. */
  leftovers: number;
};
