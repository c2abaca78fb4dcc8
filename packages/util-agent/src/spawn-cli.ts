/** Starts a program for a step and sees to its end.
 *
 *  1. No shell: the arguments arrive as they are given. Long text goes by stdin.
 *  2. The program leads a group and a session of its own and carries the run's mark, with a tag for this
 *     one start, so that all that it starts is found again and nothing else is.
 *  3. Its exit ends the run, not the closing of its pipes: something that it left behind may hold them.
 *  4. When the promise settles, nothing that the program started is left, unless the caller keeps it.
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
import type { CliRun, CliStop, SpawnCliOptions } from "./cli-run.ts";
import { programStop } from "./program-stop.ts";
import { type OutputReader, readOutput } from "./read-output.ts";
import { type StartedCli, startCli } from "./start-cli.ts";
import { cannotStart } from "./start-failure.ts";
import { type TimeLimits, watchTime } from "./time-limits.ts";
import { within } from "./within.ts";

const MIB = 1024 * 1024;
const GRACE_MS = 2_500;
const DRAIN_MS = 2_000;
const LEFTOVER_GRACE_MS = 500;

/** Runs a program to its end. Whatever it exits with is a value; it is an error only when it cannot be
 *  started (`AGENT_FAILED`), cannot be ended (`AGENT_FAILED`), or was aborted before (`THREAD_ABORTED`). */
export async function spawnCli(
  command: string,
  args: readonly string[],
  options: SpawnCliOptions,
): Promise<Result<CliRun, Failure>> {
  const refusal = await cannotStart(command, args, options.cwd);
  if (refusal !== null) return err(refusal);
  if (options.signal?.aborted) return err(abortedBefore(command));
  const mark = `${options.mark}:${randomTag(8)}`;
  const started = await startCli(command, args, {
    cwd: resolve(options.cwd),
    env: { ...cliEnvironment(options.hostEnv ?? process.env, options), [RUN_MARK_ENV]: mark },
    stdin: typeof options.stdin === "string" ? "pipe" : "ignore",
    installHint: options.installHint,
  });
  return started.ok ? seeToEnd(started.value, { command, mark, options }) : started;
}

type Spawned = { command: string; mark: string; options: SpawnCliOptions };

async function seeToEnd(program: StartedCli, spawned: Spawned): Promise<Result<CliRun, Failure>> {
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
  writeInput(program, options.stdin);
  try {
    const exit = await Promise.race([program.exited, stop.gaveUp]);
    limits.clear();
    if (exit === null) return err(cannotEnd(spawned.command, program.pid));
    await stop.settled();
    const leftovers = await closeDown(output, members, options);
    await stop.settled();
    // Rejects with what `onLine` threw, now that nothing runs any more.
    await output.done;
    const reason = stop.reason();
    return ok({
      ...exit,
      stoppedBy: reason === "fault" ? null : reason,
      stdout: output.stdout.captured(),
      stderr: output.stderr.captured(),
      startedAt,
      completedAt: Date.now(),
      leftovers,
    });
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
    output.close();
    program.stdin?.destroy();
  }
}

/** Reads what is still in the pipes, and ends what outlived the program. Gives the number of those. */
async function closeDown(
  output: BothStreams,
  members: Run,
  { drainMs = DRAIN_MS, leftovers = "end" }: SpawnCliOptions,
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

type BothStreams = {
  stdout: OutputReader;
  stderr: OutputReader;
  /** Rejects with what `onLine` threw. */
  done: Promise<unknown>;
  /** The same, never rejecting. */
  settled: Promise<unknown>;
  close(): void;
};

function readBoth(
  program: StartedCli,
  options: SpawnCliOptions,
  { active, hold }: TimeLimits,
): BothStreams {
  const read = (name: "stdout" | "stderr"): OutputReader =>
    readOutput(program[name], {
      name,
      maxBytes: options.maxOutputBytes ?? MIB,
      maxLineChars: options.maxLineChars ?? MIB,
      onLine: options.onLine,
      onActivity: active,
      hold,
    });
  const stdout = read("stdout");
  const stderr = read("stderr");
  const close = (): void => {
    stdout.close();
    stderr.close();
  };
  return {
    stdout,
    stderr,
    done: Promise.all([stdout.done, stderr.done]),
    settled: Promise.allSettled([stdout.done, stderr.done]),
    close,
  };
}

/** A program may close its stdin early, or never read it: that is its right. */
function writeInput({ stdin }: StartedCli, text: string | null | undefined): void {
  stdin?.on("error", () => {});
  stdin?.end(text ?? "");
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
