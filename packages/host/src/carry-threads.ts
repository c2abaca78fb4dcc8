/** Gives threads to workers: one process per bundle version.
 *
 *  1. A worker is ended after it has been idle for a while.
 *  2. A version whose worker ended on its own three times in a row, each time soon after its start, rests: its threads
 *     are left idle. When a person resumes one, it gets a separate runner.
 *  3. A root that a later version has changed is not the fault of a bundle: nothing more is carried, and nothing rests.
 *  4. Threads of an ended worker are not handled here: `take-up` finds them by their leases. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Engine, HostState, RunnerReport } from "@uncaged/workflow-execute";
import { failure, type ThreadRecord } from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import { type BundleWorker, startBundleWorker } from "./bundle-worker.ts";
import type { Outdated } from "./outdated.ts";

const GIVE_BACK_AFTER_MS = 30_000;
const ENDS_ALLOWED = 3;
/** A worker that ran for longer than this did not end early. */
const SOON_MS = 600_000;

export type Carrier = {
  /** Resolves once the thread is under way or could not start. null: its version rests, or the host is ending. */
  carry(threadId: string): Promise<RunnerReport | null>;
  /** Whether it is with a worker, or on its way there. */
  carries(threadId: string): boolean;
  /** Threads that a worker is about to take. */
  onTheWay(): string[];
  /** Why this version rests; null: it does not. */
  restsBecause(bundleHash: string): string | null;
  state(): HostState;
  /** Has all threads go on elsewhere: before their next steps, or at once. */
  handOver(when: "soon" | "now"): void;
  /** How many there are, on their way included. */
  count(): number;
  /** Ends the workers at once. Their threads keep leases of dead processes, and so wait for the next host. */
  end(): Promise<void>;
};

type Version = { bundleHash: string; worker: BundleWorker; giveBack: NodeJS.Timeout | null };

export function threadCarrier(
  engine: Pick<Engine, "root" | "packagesBase" | "store">,
  {
    worker: takenBy,
    say,
    outdated,
    onRest,
    onWorkerEnd,
  }: {
    /** For whom leases are taken. */
    worker: string;
    say: (line: string) => void;
    outdated: Pick<Outdated, "found" | "ask">;
    /** A thread has come to rest: there may be room for others. */
    onRest: () => void;
    onWorkerEnd: () => void;
  },
): Carrier {
  const versions = new Map<string, Version>();
  const earlyEnds = new Map<string, number>();
  const resting = new Map<string, string>();
  const starting = new Set<string>();
  let isEnding = false;
  let handedOver: "soon" | "now" | null = null;

  const start = (key: string, bundleHash: string): Version => {
    let isGivenBack = false;
    const worker = startBundleWorker({
      root: engine.root,
      packagesBase: engine.packagesBase,
      worker: takenBy,
      onRest,
      onIdle: () => {
        version.giveBack = setTimeout(() => {
          isGivenBack = true;
          versions.delete(key);
          void worker.end();
        }, GIVE_BACK_AFTER_MS);
      },
      onEnd: (reason) => {
        if (version.giveBack !== null) clearTimeout(version.giveBack);
        if (isEnding || isGivenBack) return;
        versions.delete(key);
        countEnd(version, reason);
        onWorkerEnd();
      },
    });
    const version: Version = { bundleHash, worker, giveBack: null };
    versions.set(key, version);
    if (handedOver !== null) worker.handOver(handedOver);
    return version;
  };

  const countEnd = ({ bundleHash, worker }: Version, reason: string): void => {
    const isSoon = Date.now() - worker.since < SOON_MS;
    const ends = isSoon ? (earlyEnds.get(bundleHash) ?? 0) + 1 : 1;
    earlyEnds.set(bundleHash, ends);
    say(`the worker of version ${bundleHash} ended: ${reason}`);
    if (ends < ENDS_ALLOWED) return;
    const why = `its worker ended ${ends} times: ${reason}`;
    resting.set(bundleHash, why);
    say(`version ${bundleHash} rests: ${why}`);
  };

  const workerFor = (thread: ThreadRecord): BundleWorker => {
    const key = versionKey(engine.root, thread);
    const version = versions.get(key) ?? start(key, thread.bundleHash);
    if (version.giveBack !== null) clearTimeout(version.giveBack);
    version.giveBack = null;
    return version.worker;
  };

  const restsBecause = (bundleHash: string): string | null => resting.get(bundleHash) ?? null;

  return {
    carry: async (threadId) => {
      starting.add(threadId);
      try {
        while (!isEnding) {
          const newer = outdated.found();
          if (newer !== null) return { kind: "failed", failure: newer };
          const thread = await engine.store.get(threadId);
          if (thread === null) return unknown(threadId);
          if (restsBecause(thread.bundleHash) !== null) return null;
          const report = await workerFor(thread).run(threadId);
          // null: another thread of its version ended the worker before this one had begun.
          if (report !== null) return report;
          await outdated.ask();
        }
        return null;
      } finally {
        starting.delete(threadId);
      }
    },
    carries: (threadId) =>
      starting.has(threadId) ||
      [...versions.values()].some(({ worker }) => worker.threads().has(threadId)),
    onTheWay: () => [...starting],
    restsBecause,
    state: () => ({
      workers: [...versions.values()].map(({ bundleHash, worker }) => ({
        bundleHash,
        pid: worker.pid,
        since: worker.since,
        threads: worker.threads().size,
      })),
      resting: [...resting].map(([bundleHash, reason]) => ({ bundleHash, reason })),
    }),
    handOver: (when) => {
      handedOver = when;
      for (const { worker } of versions.values()) worker.handOver(when);
    },
    count: () =>
      new Set([
        ...starting,
        ...[...versions.values()].flatMap(({ worker }) => [...worker.threads()]),
      ]).size,
    end: async () => {
      isEnding = true;
      await Promise.all([...versions.values()].map(({ worker }) => worker.end()));
    },
  };
}

/** A worker keeps what it has loaded, so different packages in the storage root need a different worker, as they would
 *  need a different runner. */
function versionKey(root: string, { bundleHash }: ThreadRecord): string {
  const lock = join(storagePaths(root).packages, ".package-lock.json");
  const changed = statSync(lock, { throwIfNoEntry: false });
  return `${bundleHash} ${changed?.mtimeMs ?? 0}`;
}

function unknown(threadId: string): RunnerReport {
  return { kind: "failed", failure: failure("THREAD_NOT_FOUND", `no thread ${threadId}`, "") };
}
