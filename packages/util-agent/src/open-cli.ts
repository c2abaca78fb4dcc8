/** Starts a program for a step and sees to its end.
 *
 *  1. No shell: the arguments arrive as they are given. Long text goes by stdin.
 *  2. The program leads a group and a session of its own and carries the run's mark, with a tag for this
 *     one start, so that all that it starts is found again and nothing else is.
 *  3. Its exit ends the run, not the closing of its pipes: something that it left behind may hold them.
 *  4. When `ended` settles, nothing that the program started is left, unless the caller keeps it.
 *  5. Memory is bounded whatever it prints (`captureOutput`, `lineReader`), and a slow `onLine` slows the
 *     program down, through its pipe. */
import { resolve } from "node:path";
import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  RUN_MARK_ENV,
} from "@uncaged/workflow-protocol";
import { endMarked, type Run, randomTag } from "@uncaged/workflow-util";
import { cliEnvironment } from "./cli-environment.ts";
import { cliInput } from "./cli-input.ts";
import type { CliRun, CliStop, OpenCliOptions } from "./cli-run.ts";
import { programStop } from "./program-stop.ts";
import { type BothOutputs, readBoth } from "./read-output.ts";
import { type StartedCli, startCli } from "./start-cli.ts";
import { cannotStart } from "./start-failure.ts";
import { watchTime } from "./time-limits.ts";
import { within } from "./within.ts";

/** A program that is talked to while it runs; what it says comes by `onLine`. */
export type OpenCli = {
  pid: number;
  /** Writes to its stdin. Resolves when it is on its way: false when the program reads no more. Never rejects. */
  write(text: string): Promise<boolean>;
  /** Closes its stdin. */
  closeInput(): void;
  /** From now on, until the given function is called, nothing is asked of the program: its silence does not count. */
  rest(): () => void;
  /** What it has printed to stderr so far, shortened as in `CliRun`. */
  stderr(): string;
  /** Why we have begun to end it; null: nobody has. A program that is told to stop may call that a fault of its own. */
  stoppedBy(): CliStop | null;
  /** How it ended, once nothing of it is left. An error: it could not be ended (`AGENT_FAILED`). Rejects with
   *  what `onLine` threw. */
  ended: Promise<Result<CliRun, Failure>>;
  /** Ends it, and all that it started, by the stop procedure. Resolves when nothing is left; never rejects. */
  stop(): Promise<void>;
};

/** Starts a program with its stdin open. It is an error when it cannot be started (`AGENT_FAILED`) or was
 *  aborted before (`THREAD_ABORTED`). */
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
  const mark = `${options.mark}:${randomTag(8)}`;
  const started = await startCli(command, args, {
    cwd: resolve(options.cwd),
    env: { ...cliEnvironment(options.hostEnv ?? process.env, options), [RUN_MARK_ENV]: mark },
    stdin: options.stdin,
    installHint: options.installHint,
  });
  return started.ok ? ok(supervise(started.value, { command, mark, options })) : started;
}

type Spawned = { command: string; mark: string; options: OpenCliOptions };

function supervise(program: StartedCli, spawned: Spawned): OpenCli {
  const { mark, options } = spawned;
  const members = { mark, leaders: [program.pid] };
  const stop = programStop<CliStop | "fault">(program.pid, () =>
    endMarked({ ...members, graceMs: options.graceMs ?? GRACE_MS }),
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
    // Rejects with what `onLine` threw, now that nothing runs any more.
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
  // Whoever waits for the end hears of it; who does not must not bring the process down.
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

/** Reads what is still in the pipes, and ends what outlived the program. Gives the number of those. */
async function closeDown(
  output: BothOutputs,
  members: Run,
  { drainMs = DRAIN_MS, leftovers = "end" }: OpenCliOptions,
): Promise<number> {
  await within(output.settled, drainMs);
  let ended = 0;
  if (leftovers === "end") {
    const report = await endMarked({ ...members, first: "SIGTERM", graceMs: LEFTOVER_GRACE_MS });
    ended = report.ended.length;
    // Nobody writes any more, unless it was not found: whatever is in the pipes comes at once.
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
