/** Starts threads of the queue when there is room for them.
 *
 *  1. If there is any limit, every thread handed to the host goes through the queue, so none overtakes earlier ones.
 *  2. How many may run is decided when a worker takes the lease. This only keeps futile attempts rare.
 *  3. A thread that cannot be started is taken out of the queue, so that it does not block others. In a root that
 *     machines share, one whose bundle this machine cannot load stays, for a worker of another version or with other
 *     packages; this one does not try it again. One whose files are on another machine stays in it for that machine. */
import { isDeepStrictEqual } from "node:util";
import { type Engine, noRoom, type RunnerReport } from "@uncaged/workflow-execute";
import { type ErrorCode, type Failure, NO_LIMITS, queuePlaceOf } from "@uncaged/workflow-protocol";
import type { Carrier } from "./carry-threads.ts";
import type { ThreadsElsewhere } from "./threads-elsewhere.ts";

export type QueueStarter = {
  /** Starts what there is room for. Resolves once those threads are on their way. */
  look(): Promise<void>;
  /** As `Carrier.carry`; `LIMIT_REACHED` when the thread waits in the queue now. */
  run(threadId: string): Promise<RunnerReport | null>;
};

export function queueStarter(
  engine: Pick<Engine, "store" | "dispatch" | "now">,
  carrier: Pick<Carrier, "carry" | "onTheWay" | "restsBecause">,
  {
    worker,
    takesAll,
    isShared,
    say,
    elsewhere,
  }: {
    worker: string;
    /** It serves as many threads as the limits allow. */
    takesAll: boolean;
    isShared: boolean;
    say: (line: string) => void;
    elsewhere: ThreadsElsewhere;
  },
): QueueStarter {
  const { store, dispatch, now } = engine;
  const passedOver = new Set<string>();
  const begun = new Map<string, Promise<RunnerReport | null>>();
  let looking: Promise<void> | null = null;
  let isAskedAgain = false;

  const begin = async (threadId: string): Promise<RunnerReport | null> => {
    const report = await carrier.carry(threadId);
    if (report?.kind === "ready" || elsewhere.note(threadId, report)) return report;
    const thread = await store.get(threadId);
    if (isShared && report !== null && NOT_HERE.includes(report.failure.code)) {
      passedOver.add(threadId);
      say(`thread ${threadId} is left to other workers: ${refusal(report.failure)}`);
      return report;
    }
    const why =
      report === null ? carrier.restsBecause(thread?.bundleHash ?? "") : refusal(report.failure);
    if (why !== null && thread?.status === "queued") {
      await dispatch.unwant(threadId, now());
      say(`thread ${threadId} is idle: ${why}`);
    }
    return report;
  };

  const startAll = async (): Promise<void> => {
    do {
      isAskedAgain = false;
      const except = [...passedOver, ...elsewhere.all()];
      const asked = { besides: carrier.onTheWay(), except, nowMs: now(), worker };
      for (const threadId of await dispatch.next(asked)) {
        if (begun.has(threadId) || elsewhere.has(threadId)) continue;
        const started = begin(threadId).finally(() => begun.delete(threadId));
        begun.set(threadId, started);
        // The caller that handed it over is told; otherwise the next look finds it again.
        started.catch(() => undefined);
      }
    } while (isAskedAgain);
  };

  const look = (): Promise<void> => {
    isAskedAgain = looking !== null;
    looking ??= startAll().finally(() => {
      looking = null;
    });
    return looking;
  };

  return {
    look,
    run: async (threadId) => {
      const isOpen =
        takesAll &&
        isDeepStrictEqual(await dispatch.limits(), NO_LIMITS) &&
        (await dispatch.pausedSince()) === null;
      if (isOpen || !(await isWanted(engine, { threadId, worker }))) return carrier.carry(threadId);
      await look();
      const report = begun.get(threadId);
      if (report !== undefined) return report;
      const thread = await store.get(threadId);
      const place = thread === null ? null : queuePlaceOf(thread);
      // Started, and already at rest.
      if (place === null) return { kind: "ready" };
      return { kind: "failed", failure: noRoom(threadId, place) };
    },
  };
}

/** False for a thread that waits for a person, has an owner, or was told to end: it does not wait in the queue. */
async function isWanted(
  { store, dispatch, now }: Pick<Engine, "store" | "dispatch" | "now">,
  { threadId, worker }: { threadId: string; worker: string },
): Promise<boolean> {
  const [signals = []] = await store.signals([threadId]);
  if (signals.includes("kill")) return false;
  const job = { threadId, replaces: null, for: null, notBefore: null, nowMs: now(), worker };
  return dispatch.want(job).then(
    () => true,
    () => false,
  );
}

/** Not the thread's fault, and may pass: a full disk, for example. What a later version has changed is for workers of that
 *  version. */
const PASSING: readonly ErrorCode[] = [
  "LIMIT_REACHED",
  "LEASE_HELD",
  "STORAGE_FAILED",
  "STORAGE_NEWER",
];

/** What this machine lacks, or does not know, to load a bundle. */
const NOT_HERE: readonly ErrorCode[] = [
  "BUNDLE_EXPORTS",
  "BUNDLE_INVALID",
  "BUNDLE_UNRESOLVED",
  "EXTERNALS_CHANGED",
];

/** Why another attempt is pointless; null: it is not. */
function refusal({ code, message }: Failure): string | null {
  return PASSING.includes(code) ? null : `${code}: ${message}`;
}
