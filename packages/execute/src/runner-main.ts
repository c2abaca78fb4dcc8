/** Process of a background runner: `runner-main.js <root> <threadId> <packagesBase>`. */
import { EXIT, exitCodeOf, type Failure, failure, failureFrom } from "@uncaged/workflow-protocol";
import type { Interruption } from "./keeper/interruption.ts";
import { runThread } from "./run/run-thread.ts";
import { boundStderr } from "./runner/bound-stderr.ts";
import { takeEnvironment } from "./runner/runner-environment.ts";
import { tellStarter } from "./runner/runner-report.ts";
import { openEngine } from "./storage/open-engine.ts";
import { startTelemetry } from "./telemetry/start-telemetry.ts";

const [, , root = "", threadId = "", packagesBase = ""] = process.argv;
boundStderr();
const abort = new AbortController();
const stop: Interruption = "stop";
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
  process.on(signal, () => abort.abort(stop));
// A rejection that a bundle did not handle is that bundle's fault, and no reason to lose the runner's orderly exit.
process.on("unhandledRejection", (cause) => console.error("unhandled rejection:", cause));

process.exitCode = await main();
// A bundle may have left timers or sockets open: when the thread is released, its process ends.
process.exit();

async function main(): Promise<number> {
  try {
    // Without its keys an agent would fail, and the thread with it. Nobody owns the thread yet: it can be resumed.
    if (!(await takeEnvironment())) return failed(orphaned());
    const engine = await openEngine({ root, packagesBase });
    const telemetry = await startTelemetry(engine, { env: process.env, say: console.error });
    const outcome = await runThread(telemetry.engine, {
      threadId,
      maxSteps: null,
      room: "or queue",
      // It serves the default pool.
      worker: null,
      signal: abort.signal,
      onReady: () => tellStarter({ kind: "ready" }),
    });
    // The thread is released by now: nobody waits for whoever receives this.
    await telemetry.flush();
    await engine.store.close();
    return outcome.ok ? EXIT.success : failed(outcome.error);
  } catch (thrown) {
    return failed(failureFrom(thrown, "INTERNAL"));
  }
}

function orphaned(): Failure {
  return failure(
    "RUNNER_FAILED",
    "the process that started this runner ended before it had passed on its environment",
    `nothing was begun; to run the thread: uncaged-workflow thread resume ${threadId}`,
  );
}

function failed(reason: Failure): number {
  console.error(`${reason.code}: ${reason.message}`);
  tellStarter({ kind: "failed", failure: reason });
  return exitCodeOf(reason.code);
}
