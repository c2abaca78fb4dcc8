import { spawn } from "node:child_process";
import { constants } from "node:os";
import {
  EXIT,
  err,
  type Failure,
  failure,
  ok,
  PROCESS_TAG_ENV,
  type Result,
  type Task,
} from "@uncaged/workflow-protocol";
import { beatTask, CONTEXT_ENV, startTask, type TaskDesk } from "@uncaged/workflow-tasks";
import { killTagged, randomTag } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { withDesk } from "./with-desk.ts";

const BEAT_MS = 15_000;

/** Runs a command in the place of the agent: it is given signs of life meanwhile, and its exit code is the command's. The
 *  command is ended when the attempt is over. */
export async function runInTask(
  { id, command }: { id: string | null; command: readonly string[] },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withDesk(io, null, async (desk) => {
    const begun = await begin(desk, id);
    if (!begun.ok) return begun;
    const stop = new AbortController();
    let lost: Failure | null = null;
    let isBeating = false;
    const beats = setInterval(() => {
      // On a machine that is slower than the interval, beats would pile up.
      if (isBeating) return;
      isBeating = true;
      // What cannot be written now, because the disk is full for instance, is written with the next beat.
      const beat = beatTask(desk, { id: begun.value.id, progress: null }).catch(() => null);
      void beat.then((result) => {
        isBeating = false;
        if (result === null || result.ok || result.error.code === "GIT_FAILED") return;
        lost = result.error;
        stop.abort();
      });
    }, beatEvery(io));
    try {
      const exitCode = await run(command, { desk, io, stop: stop.signal });
      if (lost !== null) return err(lost);
      return typeof exitCode === "number" ? ok({ streamed: true, exitCode }) : err(exitCode);
    } finally {
      clearInterval(beats);
    }
  });
}

/** Tests beat faster. */
function beatEvery({ env }: Io): number {
  const given = Number(env.UNCAGED_TEST_BEAT_MS);
  return given > 0 ? given : BEAT_MS;
}

async function begin(desk: TaskDesk, id: string | null): Promise<Result<Task, Failure>> {
  const beaten = await beatTask(desk, { id, progress: null });
  if (!beaten.ok || beaten.value.state !== "ASSIGNED") return beaten;
  return startTask(desk, id);
}

/** The exit code, or why it did not start. When it is stopped, all that it started ends with it. */
async function run(
  [program = "", ...args]: readonly string[],
  { desk, io, stop }: { desk: TaskDesk; io: Io; stop: AbortSignal },
): Promise<number | Failure> {
  const { promise, resolve } = Promise.withResolvers<number | Failure>();
  // Inside a step, the command stays one of the step's processes.
  const tag = `${io.env[PROCESS_TAG_ENV] ?? "task"}:${randomTag(8)}`;
  const own = { [CONTEXT_ENV]: JSON.stringify(desk.context), [PROCESS_TAG_ENV]: tag };
  const env = { ...io.env, ...own };
  const child = spawn(program, args, { cwd: io.cwd, env, stdio: "inherit" });
  const interrupted = io.interruption();
  let ended: Promise<unknown> = Promise.resolve();
  const end = (): void => {
    ended = killTagged({ tag, first: "SIGTERM" });
  };
  for (const signal of [stop, interrupted]) signal.addEventListener("abort", end, { once: true });
  child.once("error", (cause) =>
    resolve(
      failure("FILE_NOT_FOUND", `cannot start ${program}: ${cause.message}`, "check the command"),
    ),
  );
  child.once("close", (code, signal) => {
    if (interrupted.aborted) resolve(EXIT.aborted);
    else resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
  });
  const exit = await promise;
  await ended;
  return exit;
}
