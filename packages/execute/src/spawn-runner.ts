/** Starts a background runner and waits until it owns its thread and has loaded its bundle, or says why not. */
import { fork } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  RUN_MARK_ENV,
} from "@uncaged/workflow-protocol";
import { hooksEnvironment, hooksUrl } from "@uncaged/workflow-register";
import { storagePaths } from "@uncaged/workflow-util";
import type { Engine } from "./engine.ts";
import { environmentMessage, splitEnvironment } from "./runner-environment.ts";
import { parseRunnerReport } from "./runner-report.ts";

const RUNNER: string = fileURLToPath(new URL("./runner-main.js", import.meta.url));
/** Loading a large bundle on a busy machine takes seconds, never this long. */
const READY_WITHIN_MS = 60_000;

export async function spawnRunner(
  engine: Pick<Engine, "root" | "packagesBase">,
  threadId: string,
): Promise<Result<{ pid: number }, Failure>> {
  const logPath = storagePaths(engine.root).runnerLog(threadId);
  mkdirSync(dirname(logPath), { recursive: true, mode: 0o700 });
  const log = openSync(logPath, "w", 0o600);
  const { open, told } = splitEnvironment(runnerEnvironment(engine));
  try {
    const runner = fork(RUNNER, [engine.root, threadId, engine.packagesBase], {
      detached: true,
      // stdout goes nowhere: what a bundle prints is not its result. stderr is kept for a runner that cannot start.
      stdio: ["ignore", "ignore", log, "ipc"],
      execArgv: ["--disable-warning=ExperimentalWarning", "--import", hooksUrl],
      env: open,
    });
    // Who has gone hears nothing; that it has is its report.
    runner.send(environmentMessage(told), () => {});
    const report = await firstReport(runner, READY_WITHIN_MS);
    if (runner.connected) runner.disconnect();
    runner.unref();
    if (report.kind === "ready") return ok({ pid: runner.pid ?? 0 });
    if (report.kind === "failed") return err(report.failure);
    return err(startFailure(threadId, report.why, tailOf(logPath)));
  } finally {
    closeSync(log);
  }
}

/** Whether a runner was refused because somebody else's runs the thread, or has run it to its end already. To
 *  who only wants the thread to run, that is as good. */
export function othersWereFirst({ code }: Failure): boolean {
  return code === "LEASE_HELD" || code === "TRANSITION_INVALID";
}

/** The caller's environment. An empty mark lets the runner go from the step that the caller may itself run in:
 *  a thread that an agent starts is not one of that agent's processes. */
function runnerEnvironment(engine: Pick<Engine, "root" | "packagesBase">): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _forTheCaller, ...env } = process.env;
  return { ...env, ...hooksEnvironment(engine.root, engine.packagesBase), [RUN_MARK_ENV]: "" };
}

type FirstReport =
  | { kind: "ready" }
  | { kind: "failed"; failure: Failure }
  | { kind: "silent"; why: string };

function firstReport(runner: ReturnType<typeof fork>, withinMs: number): Promise<FirstReport> {
  const { promise, resolve } = Promise.withResolvers<FirstReport>();
  const timer = setTimeout(() => {
    runner.kill("SIGKILL");
    resolve({ kind: "silent", why: `was not ready after ${withinMs / 1000} s` });
  }, withinMs);
  runner.once("message", (message) => resolve(parseRunnerReport(message)));
  runner.once("error", (cause) =>
    resolve({ kind: "silent", why: `did not start: ${cause.message}` }),
  );
  runner.once("exit", (code, signal) =>
    resolve({ kind: "silent", why: `ended at start (${signal ?? `exit ${code}`})` }),
  );
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
