/** A worker process of a host: `worker-main.js <root> <packagesBase> <worker>`. It runs threads of one bundle version, side by
 *  side.
 *
 *  1. It is a runner for more than one thread: it owns their leases, so however it ends, the host finds its threads at
 *     once.
 *  2. If the host is gone, its threads continue until they rest; then it ends. */

import {
  boundStderr,
  openEngine,
  type RunnerReport,
  runThread,
  sharedGuard,
  startTelemetry,
  takeEnvironment,
  threadKeeper,
} from "@uncaged/workflow-execute";
import { EXIT, failureFrom } from "@uncaged/workflow-protocol";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

const [, , root = "", packagesBase = "", worker = ""] = process.argv;

boundStderr();
// An unhandled rejection is the bundle's fault, and no reason to lose its other threads.
process.on("unhandledRejection", (cause) => console.error("unhandled rejection:", cause));
await takeEnvironment();
const keeper = threadKeeper(root, sharedGuard());
const engine = await openEngine({ root, packagesBase, keeper }).catch((thrown: unknown) => {
  // The host finds out whether to try again.
  const { code, message } = failureFrom(thrown, "STORAGE_FAILED");
  console.error(`${code}: ${message}`);
  process.exit(EXIT.storage);
});
const telemetry = await startTelemetry(engine, { env: process.env, say: console.error });
/** Threads are stopped by signals in the index, or together with this process. */
const { signal } = new AbortController();
const running = new Set<string>();
const handOver = { soon: new AbortController(), now: new AbortController() };
const elsewhere = { soon: handOver.soon.signal, now: handOver.now.signal };

process.on("message", (message: ToWorker) => {
  if (message.kind === "ask") post({ kind: "here" });
  else if (message.kind === "hand over") handOver[message.when].abort();
  else void run(message.threadId);
});
process.on("disconnect", endWhenIdle);

async function run(threadId: string): Promise<void> {
  running.add(threadId);
  const report = (said: RunnerReport): void => post({ kind: "started", threadId, report: said });
  try {
    const onReady = (): void => report({ kind: "ready" });
    const outcome = await runThread(telemetry.engine, {
      ...{ threadId, maxSteps: null, signal, onReady },
      ...{ room: "or queue", worker, handOver: elsewhere },
    });
    if (!outcome.ok) report({ kind: "failed", failure: outcome.error });
  } catch (thrown) {
    report({ kind: "failed", failure: failureFrom(thrown, "INTERNAL") });
  }
  running.delete(threadId);
  post({ kind: "rests", threadId });
  // Not waited for, and not left for later: a worker may be given back at any time.
  void telemetry.flush();
  endWhenIdle();
}

function endWhenIdle(): void {
  if (process.connected || running.size > 0) return;
  void engine.store.close().finally(() => process.exit(EXIT.success));
}

function post(message: FromWorker): void {
  // The host may have died a moment ago. Without a callback that would end this process, and cut off its threads' steps.
  if (process.connected) process.send?.(message, () => undefined);
}
