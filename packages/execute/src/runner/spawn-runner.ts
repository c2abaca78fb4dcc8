/** Starts a background runner and waits until it owns its thread and has loaded its bundle, or reports why not.
 *
 *  A runner is independent of the run that starts it: when an agent starts a thread and ends, the thread continues. So
 *  it is started outside of the run that we may be in ourselves, in its own session, with its own tag, and without a
 *  parent: the shell that starts it has exited by the time the runner is up. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import {
  err,
  type Failure,
  failure,
  ok,
  PROCESS_TAG_ENV,
  type Result,
  STEP_ERRAND_ENV,
} from "@uncaged/workflow-protocol";
import { hooksEnvironment, hooksUrl } from "@uncaged/workflow-register";
import { killTagged, randomTag, storagePaths } from "@uncaged/workflow-util";
import { runnerTag } from "../processes/process-tags.ts";
import type { Engine } from "../storage/engine.ts";
import { environmentMessage, splitEnvironment } from "./runner-environment.ts";
import { parseRunnerReport } from "./runner-report.ts";

const RUNNER: string = fileURLToPath(new URL("../../dist/runner-main.js", import.meta.url));
/** Loading a large bundle on a busy machine takes seconds, never this long. */
const READY_WITHIN_MS = 60_000;
/** No inspector: an agent's shell could take over the runner through it. */
const NODE_FLAGS = ["--disable-sigusr1", "--disable-warning=ExperimentalWarning"];

export async function spawnRunner(
  engine: Pick<Engine, "root" | "packagesBase">,
  threadId: string,
): Promise<Result<null, Failure>> {
  const logPath = storagePaths(engine.root).runnerLog(threadId);
  mkdirSync(dirname(logPath), { recursive: true, mode: 0o700 });
  const log = openSync(logPath, "w", 0o600);
  const tag = `${runnerTag(threadId)}:${randomTag(8)}`;
  const words = [...NODE_FLAGS, "--import", hooksUrl, RUNNER];
  const { open, told } = splitEnvironment(runnerEnvironment(engine, tag));
  try {
    const [command, ...args] = asNobodysChild([
      process.execPath,
      ...words,
      ...[engine.root, threadId, engine.packagesBase],
    ]);
    const starter = spawn(command, args, {
      detached: true,
      // stdout is discarded: what a bundle prints is not its result. stderr is kept for a runner that cannot start.
      stdio: ["ignore", "ignore", log, "ipc"],
      env: open,
    });
    // A runner that has exited cannot be written to; its exit is its report.
    starter.send(environmentMessage(told), () => {});
    const report = await firstReport(starter, READY_WITHIN_MS);
    if (starter.connected) starter.disconnect();
    starter.unref();
    if (report.kind === "ready") return ok(null);
    if (report.kind === "failed") return err(report.failure);
    await killTagged({ tag, graceMs: 0 });
    return err(startFailure(threadId, report.why, tailOf(logPath)));
  } finally {
    closeSync(log);
  }
}

/** The shell starts it in the background and exits; the channel to us stays open. */
function asNobodysChild(words: readonly [string, ...string[]]): readonly [string, ...string[]] {
  return process.platform === "win32" ? words : ["/bin/sh", "-c", '"$0" "$@" &', ...words];
}

/** The caller's environment without what is meant for its own process alone, and with the runner's tag instead of the
 *  caller's. */
function runnerEnvironment(
  engine: Pick<Engine, "root" | "packagesBase">,
  tag: string,
): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _forNode, [STEP_ERRAND_ENV]: _itsErrand, ...env } = process.env;
  return { ...env, ...hooksEnvironment(engine.root, engine.packagesBase), [PROCESS_TAG_ENV]: tag };
}

type FirstReport =
  | { kind: "ready" }
  | { kind: "failed"; failure: Failure }
  | { kind: "silent"; why: string };

/** The channel closes when the runner has exited: only the runner holds the other end. */
function firstReport(starter: ChildProcess, withinMs: number): Promise<FirstReport> {
  const { promise, resolve } = Promise.withResolvers<FirstReport>();
  const silent = (why: string): void => resolve({ kind: "silent", why });
  const timer = setTimeout(() => silent(`was not ready after ${withinMs / 1000} s`), withinMs);
  starter.once("message", (message) => resolve(parseRunnerReport(message)));
  starter.once("error", (cause) => silent(`did not start: ${cause.message}`));
  starter.once("disconnect", () => silent("ended at start"));
  return promise.finally(() => clearTimeout(timer));
}

function startFailure(threadId: string, why: string, log: string): Failure {
  const said = log === "" ? "" : `; it said: ${log}`;
  return failure(
    "RUNNER_FAILED",
    `the runner of thread ${threadId} ${why}${said}`,
    `nothing is lost; try again with: uncaged-workflow thread resume ${threadId}`,
  );
}

function tailOf(path: string): string {
  return readFileSync(path, "utf8").slice(-2_000).trim();
}
