/** Starts a program for a step and manages it until its end.
 *
 *  1. No shell: arguments arrive exactly as passed. Long text goes through stdin.
 *  2. The program leads its own process group and session and carries the step's process tag, with a suffix for this
 *     one start, so that everything it starts can be found again, and nothing else.
 *  3. The run ends when the program exits, not when its pipes close: something it left behind may hold them.
 *  4. When `ended` settles, nothing that the program started is left, unless the caller keeps it.
 *  5. Memory is bounded whatever it prints (`captureOutput`, `lineReader`), and a slow `onLine` slows the program
 *     down, through its pipe. */
import { resolve } from "node:path";
import {
  err,
  type Failure,
  failure,
  ok,
  PROCESS_TAG_ENV,
  type Result,
} from "@uncaged/workflow-protocol";
import { killTagged, type Run, randomTag } from "@uncaged/workflow-util";
import { cliEnvironment } from "./cli-environment.ts";
import { cliInput } from "./cli-input.ts";
import type { CliRun, CliStop, OpenCliOptions } from "./cli-run.ts";
import { isolated } from "./isolation.ts";
import { programStop } from "./program-stop.ts";
import { type BothOutputs, readBoth } from "./read-output.ts";
import { type StartedCli, startCli } from "./start-cli.ts";
import { cannotStart } from "./start-failure.ts";
import { watchTime } from "./time-limits.ts";
import { within } from "./within.ts";

/** A program that is talked to while it runs; its output arrives through `onLine`. */
export type OpenCli = {
  pid: number;
  /** Writes to its stdin. Resolves once the text is on its way; false when the program has stopped reading. Never
   *  rejects. */
  write(text: string): Promise<boolean>;
  /** Closes its stdin. */
  closeInput(): void;
  /** Until the returned function is called, nothing is asked of the program, so its silence does not count. */
  rest(): () => void;
  /** What it has printed to stderr so far, shortened as in `CliRun`. */
  stderr(): string;
  /** Why we have begun to end it; null: we have not. A program told to stop may report that as its own failure. */
  stoppedBy(): CliStop | null;
  /** How it ended, once nothing of it is left. An error: it could not be ended (`AGENT_FAILED`). Rejects with what
   *  `onLine` threw. */
  ended: Promise<Result<CliRun, Failure>>;
  /** Ends it, and everything it started, by the stop procedure. Resolves when nothing is left; never rejects. */
  stop(): Promise<void>;
};

/** Starts a program with its stdin open. Returns an error when it cannot be started (`AGENT_FAILED`) or was aborted
 *  before that (`THREAD_ABORTED`). */
export function openCli(
  command: string,
  args: readonly string[],
  options: OpenCliOptions,
): Promise<Result<OpenCli, Failure>> {
  return startSupervised(command, args, { ...options, stdin: "pipe" });
}

type SupervisedOptions = OpenCliOptions & { stdin: "pipe" | "ignore" };

const GRACE_MS = 2_500;
const DRAIN_MS = 2_000;
const LEFTOVER_GRACE_MS = 500;

export async function startSupervised(
  command: string,
  args: readonly string[],
  options: SupervisedOptions,
): Promise<Result<OpenCli, Failure>> {
  const refusal = await cannotStart(command, args, options.cwd);
  if (refusal !== null) return err(refusal);
  if (options.signal?.aborted) return err(abortedBefore(command));
  const tag = `${options.tag}:${randomTag(8)}`;
  const cwd = resolve(options.cwd);
  const plain = [command, ...args];
  const line = options.isolation ? await isolated(plain, options.isolation, cwd) : ok(plain);
  if (!line.ok) return line;
  const [program = command, ...given] = line.value;
  const started = await startCli(program, given, {
    cwd,
    env: { ...cliEnvironment(options.hostEnv ?? process.env, options), [PROCESS_TAG_ENV]: tag },
    stdin: options.stdin,
    installHint: options.installHint,
  });
  return started.ok ? ok(supervise(started.value, { command, tag, options })) : started;
}

type Spawned = { command: string; tag: string; options: OpenCliOptions };

function supervise(program: StartedCli, spawned: Spawned): OpenCli {
  const { tag, options } = spawned;
  const members = { tag, leaders: [program.pid] };
  const stop = programStop<CliStop | "fault">(program.pid, () =>
    killTagged({ ...members, graceMs: options.graceMs ?? GRACE_MS }),
  );
  const limits = watchTime({
    idleMs: options.idleTimeoutMs,
    totalMs: options.timeoutMs,
    onLimit: stop.because,
  });
  const onAbort = (): void => stop.because("abort");
  options.signal?.addEventListener("abort", onAbort);
  if (options.signal?.aborted) onAbort();
  const startedAt = Date.now();
  const output = readBoth(program, options, limits);
  output.done.catch(() => stop.because("fault"));
  const input = cliInput(program.stdin, limits.active);
  const stoppedBy = (): CliStop | null => {
    const reason = stop.reason();
    return reason === "fault" ? null : reason;
  };
  const seeToEnd = async (): Promise<Result<CliRun, Failure>> => {
    const exit = await Promise.race([program.exited, stop.gaveUp]);
    limits.clear();
    if (exit === null) return err(cannotEnd(spawned.command, program.pid));
    await stop.settled();
    const leftovers = await closeDown(output, members, options);
    await stop.settled();
    // Rejects with what `onLine` threw, now that nothing is running any more.
    await output.done;
    return ok({
      ...exit,
      stoppedBy: stoppedBy(),
      stdout: output.stdout.captured(),
      stderr: output.stderr.captured(),
      startedAt,
      completedAt: Date.now(),
      leftovers,
    });
  };
  const ended = seeToEnd().finally(() => {
    options.signal?.removeEventListener("abort", onAbort);
    output.close();
    input.destroy();
  });
  // A caller waiting for the end gets the rejection; without one it must not bring the process down.
  const over = ended.then(
    () => {},
    () => {},
  );
  return {
    pid: program.pid,
    write: input.write,
    closeInput: input.close,
    rest: limits.hold,
    stderr: () => output.stderr.captured().text,
    stoppedBy,
    ended,
    stop: () => {
      stop.because("stop");
      return over;
    },
  };
}

/** Reads what is still in the pipes, and ends what outlived the program. Returns the number of processes ended. */
async function closeDown(
  output: BothOutputs,
  members: Run,
  { drainMs = DRAIN_MS, leftovers = "end" }: OpenCliOptions,
): Promise<number> {
  await within(output.settled, drainMs);
  let ended = 0;
  if (leftovers === "end") {
    const report = await killTagged({ ...members, first: "SIGTERM", graceMs: LEFTOVER_GRACE_MS });
    ended = report.ended.length;
    // No writer is left, unless one was not found: whatever is in the pipes arrives at once.
    await within(output.settled, drainMs);
  }
  output.close();
  return ended;
}

function abortedBefore(command: string): Failure {
  return failure("THREAD_ABORTED", `stopped before ${command} was started`, "");
}

function cannotEnd(command: string, pid: number): Failure {
  return failure(
    "AGENT_FAILED",
    `${command} (process ${pid}) could not be ended, not even by SIGKILL`,
    `it belongs to another user or hangs in the kernel; see: ps -o pid,stat,user,wchan -p ${pid}`,
  );
}
