/** A process that runs the threads of one bundle version, seen from the host.
 *
 *  1. It is pinged every second. A worker stuck in an endless loop does not answer, and is ended.
 *  2. It leads its own session: what ends the host, or its terminal, does not end the threads.
 *  3. Its environment is the host's, passed on as to a runner. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { environmentMessage, type RunnerReport, splitEnvironment } from "@uncaged/workflow-execute";
import { PROCESS_TAG_ENV } from "@uncaged/workflow-protocol";
import { hooksEnvironment, hooksUrl } from "@uncaged/workflow-register";
import { parseFromWorker, type ToWorker } from "./worker-messages.ts";

// Resolved from the package's root, so that it also works when the sources are run directly.
const WORKER: string = fileURLToPath(new URL("../dist/worker-main.js", import.meta.url));
/** No inspector: an agent's shell could take over the worker through it. */
const NODE_FLAGS = [
  "--disable-sigusr1",
  "--disable-warning=ExperimentalWarning",
  // For all threads of the version: a worker that needs more fails, not the machine.
  "--max-old-space-size=1024",
];
const ASK_EVERY_MS = 1_000;
/** Counted in answers, not by a clock: a machine that slept gives it its full time when it wakes up. */
const ANSWERS_MISSED = 8;

export type BundleWorker = {
  pid: number | null;
  /** Unix milliseconds. */
  since: number;
  threads(): ReadonlySet<string>;
  /** Resolves once the thread is owned and loaded, or could not be; null: the worker has ended before that. */
  run(threadId: string): Promise<RunnerReport | null>;
  /** Has its threads go on elsewhere: before their next steps, or at once. */
  handOver(when: "soon" | "now"): void;
  /** Ends it at once. The threads it owned are found by their leases. */
  end(): Promise<void>;
};

export function startBundleWorker(opts: {
  root: string;
  packagesBase: string;
  /** For whom it takes leases. */
  worker: string;
  /** One of its threads has come to rest. */
  onRest: () => void;
  onIdle: () => void;
  /** `reason`: for people. Also called after `end`. */
  onEnd: (reason: string) => void;
}): BundleWorker {
  const { open, told } = splitEnvironment(workerEnvironment(opts));
  const words = [
    ...NODE_FLAGS,
    "--import",
    hooksUrl,
    WORKER,
    opts.root,
    opts.packagesBase,
    opts.worker,
  ];
  const worker = spawn(process.execPath, words, {
    detached: true,
    // stdout is discarded: what a bundle prints is not a result. stderr is the host's; the worker bounds it.
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: open,
  });
  const threads = new Set<string>();
  const starting = new Map<string, (report: RunnerReport | null) => void>();
  const ended = Promise.withResolvers<void>();
  let isEnded = false;
  let isStuck = false;
  let missed = 0;

  // A worker that has exited cannot be written to; its exit is enough.
  const tell = (message: ToWorker): void => void worker.send(message, () => undefined);
  const started = (threadId: string, report: RunnerReport | null): void => {
    starting.get(threadId)?.(report);
    starting.delete(threadId);
  };
  const gone = (reason: string): void => {
    if (isEnded) return;
    clearInterval(asking);
    isEnded = true;
    opts.onEnd(isStuck ? "it did not respond: the code that it runs does not yield" : reason);
    for (const threadId of starting.keys()) started(threadId, null);
    ended.resolve();
  };
  const asking = setInterval(() => {
    isStuck = missed >= ANSWERS_MISSED;
    if (isStuck) worker.kill("SIGKILL");
    missed += 1;
    tell({ kind: "ask" });
  }, ASK_EVERY_MS);

  worker.send(environmentMessage(told), () => undefined);
  worker.on("message", (raw) => {
    missed = 0;
    const message = parseFromWorker(raw);
    if (message?.kind === "started") started(message.threadId, message.report);
    if (message?.kind !== "rests") return;
    threads.delete(message.threadId);
    opts.onRest();
    if (threads.size === 0) opts.onIdle();
  });
  worker.on("error", (cause) => gone(`it did not start: ${cause.message}`));
  worker.on("exit", (code, signal) =>
    gone(signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`),
  );

  return {
    pid: worker.pid ?? null,
    since: Date.now(),
    threads: () => threads,
    run: (threadId) => {
      const { promise, resolve } = Promise.withResolvers<RunnerReport | null>();
      threads.add(threadId);
      starting.set(threadId, resolve);
      if (isEnded) started(threadId, null);
      else tell({ kind: "run", threadId });
      return promise;
    },
    handOver: (when) => tell({ kind: "hand over", when }),
    end: () => {
      worker.kill("SIGKILL");
      return ended.promise;
    },
  };
}

/** Without settings for the host's own Node process, and detached from any run that the host was started in. */
function workerEnvironment({
  root,
  packagesBase,
}: {
  root: string;
  packagesBase: string;
}): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _forTheHost, [PROCESS_TAG_ENV]: _ofTheHost, ...env } = process.env;
  return { ...env, ...hooksEnvironment(root, packagesBase) };
}
