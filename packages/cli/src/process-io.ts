/** A command's real environment: this process's streams, signals and variables. */
import { fstatSync, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { EXIT, exitCodeOf, failure, WorkflowError } from "@uncaged/workflow-protocol";
import { storageFailed } from "@uncaged/workflow-util";
import type { Input, Io, Sink } from "./command/io.ts";

export function processIo(opts: { exit: (code: number) => never }): Omit<Io, "json"> {
  return {
    env: process.env,
    get cwd() {
      return workingDirectory();
    },
    stdin: input(),
    stdout: sink(process.stdout, opts.exit),
    stderr: sink(process.stderr, opts.exit),
    now: Date.now,
    hostBundle,
    interruption: () => interruptions(opts.exit, 1)[0] ?? NEVER,
    interruptions: () => {
      const [first = NEVER, second = NEVER] = interruptions(opts.exit, 2);
      return { first, second };
    },
  };
}

function sink(stream: NodeJS.WriteStream, exit: (code: number) => never): Sink {
  // `| head` closes its end when it has seen enough: that is not our failure.
  stream.on("error", (cause) => exit(isClosed(cause) ? EXIT.success : unwritten(cause)));
  const isTerminal = stream.isTTY === true;
  // Saved at the start: code that replaces the stream's `write` later does not intercept ours.
  const write = stream.write.bind(stream);
  return {
    write: (text) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      write(text, () => resolve());
      return promise;
    },
    isTerminal,
    color: isTerminal && !process.env.NO_COLOR && process.env.TERM !== "dumb",
    columns: isTerminal ? stream.columns : null,
  };
}

/** Somebody removed it; whoever needs it reports that like any other failure. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    throw new WorkflowError(
      failure(
        "FILE_NOT_FOUND",
        "the working directory no longer exists",
        "change to one that does, then try again",
      ),
    );
  }
}

/** Says on stderr that the output is incomplete, as far as that can be written. */
function unwritten(cause: Error): number {
  const { code, message, hint } = storageFailed("cannot write the output", cause).failure;
  const words = process.argv.includes("--json")
    ? JSON.stringify({ error: { code, message, hint } })
    : `error: ${message} [${code}]\nhint: ${hint}`;
  try {
    writeSync(2, `${words}\n`);
  } catch {
    // That one is full, too.
  }
  return exitCodeOf(code);
}

function isClosed(cause: Error): boolean {
  return "code" in cause && cause.code === "EPIPE";
}

function input(): Input {
  return {
    get kind() {
      return inputKind();
    },
    chunks: () => process.stdin,
  };
}

function inputKind(): Input["kind"] {
  if (isatty(0)) return "terminal";
  try {
    const file = fstatSync(0);
    return file.isFIFO() || file.isFile() || file.isSocket() ? "data" : "none";
  } catch {
    // Closed by the parent process.
    return "none";
  }
}

function hostBundle(prints: "to stderr" | "nowhere"): void {
  if (prints === "nowhere") process.stderr.write = dropped;
  process.stdout.write = process.stderr.write.bind(process.stderr);
  process.on("unhandledRejection", (cause) => console.error("unhandled rejection:", cause));
}

function dropped(_chunk: string | Uint8Array, ...rest: unknown[]): boolean {
  const callback = rest.find((argument) => typeof argument === "function");
  callback?.();
  return true;
}

/** The n-th aborts when the process is told to end for the n-th time; one more ends it. */
function interruptions(exit: (code: number) => never, count: number): AbortSignal[] {
  const stages = Array.from({ length: count }, () => new AbortController());
  const next = (): void => {
    const stage = stages.find(({ signal }) => !signal.aborted);
    if (stage === undefined) exit(EXIT.aborted);
    stage?.abort("stop");
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, next);
  return stages.map(({ signal }) => signal);
}

const NEVER: AbortSignal = new AbortController().signal;
