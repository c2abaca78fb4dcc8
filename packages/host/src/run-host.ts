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
import { threadCarrier } from "./carry-threads.ts";
import { listen } from "./listen.ts";
import { tellListeners } from "./notify/tell-listeners.ts";
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

export type HostOptions = {
  root: string;
  packagesBase: string;
  /** Ends the host. Its threads continue under the next one. */
  signal: AbortSignal;
  /** Prints a line for people who watch the host. */
  say: (line: string) => void;
  /** Called once it listens. */
  onUp: (host: HostFile) => void;
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

async function serve(engine: Engine, { signal, say, onUp }: HostOptions): Promise<void> {
  let wake = new AbortController();
  const fault = (thrown: unknown): void => say(failureFrom(thrown, "STORAGE_FAILED").message);
  const schedules = await openSchedules(engine.root);
  const triggers = await openTriggers(engine.root);
  const tasks = await openTasks(engine.root);
  const carrier = threadCarrier(engine, {
    say,
    onRest: () => void queue.look().catch(fault),
    onWorkerEnd: () => wake.abort(),
  });
  const elsewhere = threadsElsewhere();
  const queue = queueStarter(engine, carrier, { say, elsewhere });
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
  let started: Promise<void> = Promise.resolve();
  try {
    (await startTelemetry(engine, { env: process.env, say })).watchThreads();
    // First: nothing that happens while a host is up is missed.
    await telling.listen();
    // Last: whoever reads this file can connect.
    await writeFileAtomic({ path, data: JSON.stringify(host), mode: 0o600, existing: "replace" });
    onUp(host);
    const looks = [
      takeUp(engine, carrier, { isShared: isShared(engine.root), elsewhere }),
      queue,
      telling,
      pruneOld(engine, say),
    ];
    while (!signal.aborted) {
      wake = new AbortController();
      // Not waited for: a bundle that takes long to load must not hold up the others. A fault of the storage may pass.
      for (const { look } of looks) look().catch(fault);
      // Nothing is kept of those before but whether they are done: a host runs for months.
      const begun = [started, ...starting.map(({ look }) => look().catch(fault))];
      started = Promise.all(begun).then(() => undefined);
      const until = AbortSignal.any([signal, wake.signal]);
      await sleep(LOOK_EVERY_MS, undefined, { signal: until }).catch(() => undefined);
    }
  } finally {
    // Stop accepting threads before ours lose their workers.
    rmSync(path, { force: true });
    listener.close();
    await parkThreads(engine, carrier);
    // Threads that were being started have lost their workers, so this wait is short.
    await started;
    await schedules.close();
    await triggers.close();
    await tasks.close();
  }
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
