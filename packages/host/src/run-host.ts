/** The host of a storage root: one process that has the root's threads run.
 *
 *  1. There is one per root: it holds a lock that the system frees when it ends.
 *  2. It may be killed at any time. Everything it needs is in the index; the next one takes up what it left.
 *  3. No bundle runs in it, and it owns no thread: its workers do. */
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Engine,
  type HostFile,
  openEngine,
  openSchedules,
  openTasks,
  openTriggers,
  runningHost,
  startTelemetry,
} from "@uncaged/workflow-execute";
import {
  err,
  type Failure,
  failure,
  failureFrom,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { tryLockFile } from "@uncaged/workflow-store";
import { isShared, ownIdentity, storagePaths, writeFileAtomic } from "@uncaged/workflow-util";
import { ownRow, type Serving } from "./be-worker.ts";
import { threadCarrier } from "./carry-threads.ts";
import { drainHost } from "./drain-host.ts";
import { type Health, serveHealth } from "./health.ts";
import { listen } from "./listen.ts";
import { tellListeners } from "./notify/tell-listeners.ts";
import { outdatedRoot } from "./outdated.ts";
import { parkThreads } from "./park-threads.ts";
import { pruneOld } from "./prune-old.ts";
import { firingSchedules } from "./schedule/fire-schedules.ts";
import { threadStarter } from "./schedule/thread-starter.ts";
import { queueStarter } from "./start-queued.ts";
import { takeUp } from "./take-up.ts";
import { tendingTasks } from "./tasks/tend-tasks.ts";
import { threadsElsewhere } from "./threads-elsewhere.ts";
import { watchingFolders } from "./trigger/watch-folders.ts";

const LOOK_EVERY_MS = 2_000;
/** How often it is checked, at no cost to the storage, whether owners of threads have died. */
const OWNERS_EVERY_MS = 250;

export type HostOptions = {
  root: string;
  packagesBase: string;
  /** Ends the host. Its threads continue under the next one. */
  signal: AbortSignal;
  serving: Serving;
  /** Ends the host gracefully, with so much time for the steps that are under way. */
  drain?: { signal: AbortSignal; graceMs: number };
  /** A port for probes; null: none. */
  health?: number | null;
  /** Prints a line for people who watch the host. */
  say: (line: string) => void;
  /** Called once it listens. `health`: the port of its probes. */
  onUp: (host: HostFile & { worker: string; health: number | null }) => void;
};

/** Runs until the signal aborts. `HOST_RUNNING` when the root has a host. */
export async function runHost(opts: HostOptions): Promise<Result<null, Failure>> {
  const { root, packagesBase } = opts;
  // Also makes a new root, with the folder that the lock is in.
  const engine = await openEngine({ root, packagesBase });
  try {
    const lock = await tryLockFile(storagePaths(root).hostLock);
    if (lock === null) return err(alreadyUp(root));
    try {
      await serve(engine, opts);
    } finally {
      lock.release();
    }
    return ok(null);
  } finally {
    await engine.store.close();
  }
}

async function serve(engine: Engine, opts: HostOptions): Promise<void> {
  const { signal: ended, serving, drain, say, onUp } = opts;
  let wake = new AbortController();
  // What only begins new work ends with either.
  const signal = drain === undefined ? ended : AbortSignal.any([ended, drain.signal]);
  const row = await ownRow(engine, serving);
  const newer = outdatedRoot(engine.root, {
    onFound: ({ message }) => {
      say(`${message}: this one takes nothing new`);
      wake.abort();
    },
  });
  const isDraining = (): boolean => signal.aborted || row.isToDrain() || newer.found() !== null;
  let lookedMs = performance.now();
  const fault = (thrown: unknown): void => say(failureFrom(thrown, "STORAGE_FAILED").message);
  const schedules = await openSchedules(engine.root);
  const triggers = await openTriggers(engine.root);
  const tasks = await openTasks(engine.root);
  const carrier = threadCarrier(engine, {
    worker: row.worker,
    say,
    outdated: newer,
    onRest: () => void queue.look().catch(fault),
    onWorkerEnd: () => wake.abort(),
  });
  const elsewhere = threadsElsewhere();
  const queue = queueStarter(engine, carrier, {
    worker: row.worker,
    takesAll: serving.atOnce === null,
    isShared: isShared(engine.root),
    say,
    elsewhere,
  });
  const probes = await probesOf(opts.health ?? null, {
    isAlive: () => isDraining() || performance.now() - lookedMs < STUCK_AFTER_MS,
    notReady: () =>
      isDraining() ? "draining" : row.isSeen() ? null : "its storage does not answer",
  });
  const listener = await listen(engine.root, carrier, queue);
  const host = { process: ownIdentity(), since: engine.now(), socket: listener.socket };
  const { host: path } = storagePaths(engine.root);
  const telling = tellListeners(engine, { signal, say, env: process.env });
  const starter = threadStarter(engine, signal);
  const starting = [
    firingSchedules({ schedules, starter, now: engine.now, say, signal }),
    watchingFolders({ triggers, starter, say, signal }),
    tendingTasks(engine, { store: tasks, say, signal }),
  ];
  const taking = takeUp(engine, carrier, { isShared: isShared(engine.root), elsewhere });
  const watching = setInterval(() => taking.hasLostOwner() && wake.abort(), OWNERS_EVERY_MS);
  let started: Promise<void> = Promise.resolve();
  try {
    (await startTelemetry(engine, { env: process.env, say })).watchThreads();
    // First: nothing that happens while a host is up is missed.
    await telling.listen();
    // Last: whoever reads this file can connect.
    await writeFileAtomic({ path, data: JSON.stringify(host), mode: 0o600, existing: "replace" });
    onUp({ ...host, worker: row.worker, health: probes?.port ?? null });
    const looks = [row, newer, taking, queue, telling, pruneOld(engine, say)];
    while (!isDraining()) {
      lookedMs = performance.now();
      wake = new AbortController();
      // Not waited for: a bundle that takes long to load must not hold up the others. A fault of the storage may pass.
      for (const { look } of looks) look().catch(fault);
      // Nothing is kept of those before but whether they are done: a host runs for months.
      const begun = [started, ...starting.map(({ look }) => look().catch(fault))];
      started = Promise.all(begun).then(() => undefined);
      const until = AbortSignal.any([signal, wake.signal]);
      await sleep(LOOK_EVERY_MS, undefined, { signal: until }).catch(() => undefined);
    }
    if (!ended.aborted)
      await drainHost({ row, carrier }, { hurry: hurryOf(drain), signal: ended, fault, say });
  } finally {
    clearInterval(watching);
    // Stop accepting threads before ours lose their workers.
    rmSync(path, { force: true });
    listener.close();
    await parkThreads(engine, carrier);
    await row.remove().catch(fault);
    probes?.close();
    // Threads that were being started have lost their workers, so this wait is short.
    await started;
    await schedules.close();
    await triggers.close();
    await tasks.close();
  }
}

/** Aborts when those who told the host to end wait no longer for steps under way. */
function hurryOf(drain: HostOptions["drain"]): AbortSignal {
  const hurry = new AbortController();
  const begin = (): void => {
    setTimeout(() => hurry.abort(), drain?.graceMs).unref();
  };
  if (drain?.signal.aborted) begin();
  else drain?.signal.addEventListener("abort", begin, { once: true });
  return hurry.signal;
}

/** Its main loop has not come round for so long. */
const STUCK_AFTER_MS = 60_000;

async function probesOf(
  port: number | null,
  health: Health,
): Promise<{ port: number; close: () => void } | null> {
  return port === null ? null : serveHealth(port, health);
}

function alreadyUp(root: string): Failure {
  const host = runningHost(root);
  const which = host === null ? "" : `, process ${host.process.pid}`;
  return failure(
    "HOST_RUNNING",
    `${root} already has a host${which}`,
    "see: uncaged-workflow status; end it with: uncaged-workflow down",
  );
}
