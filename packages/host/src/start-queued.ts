/** Starts threads of the queue when there is room for them.
 *
 *  1. Where anything is limited, every thread that the host is handed goes through the queue: nobody passes those that
 *     were there before.
 *  2. How many may run is decided when a worker takes the lease. This only sees to it that few ask in vain.
 *  3. One that cannot be started is taken out of the queue, so that it does not keep others from starting. */
import { isDeepStrictEqual } from "node:util";
import { type Engine, noRoom, type RunnerReport } from "@uncaged/workflow-execute";
import { type ErrorCode, type Failure, NO_LIMITS, queuePlaceOf } from "@uncaged/workflow-protocol";
import type { Carrier } from "./carry-threads.ts";

export type QueueStarter = {
  /** Starts what there is room for. Resolves once that is on its way. */
  look(): Promise<void>;
  /** As `Carrier.carry`; `LIMIT_REACHED` when the thread waits in the queue now. */
  run(threadId: string): Promise<RunnerReport | null>;
};

export function queueStarter(
  engine: Pick<Engine, "store" | "dispatch" | "now">,
  carrier: Pick<Carrier, "carry" | "onTheWay" | "restsBecause">,
  say: (line: string) => void,
): QueueStarter {
  const { store, dispatch, now } = engine;
  const begun = new Map<string, Promise<RunnerReport | null>>();
  let looking: Promise<void> | null = null;
  let isAskedAgain = false;

  const begin = async (threadId: string): Promise<RunnerReport | null> => {
    const report = await carrier.carry(threadId);
    if (report?.kind === "ready") return report;
    const thread = await store.get(threadId);
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
      for (const threadId of await dispatch.next({ besides: carrier.onTheWay(), nowMs: now() })) {
        if (begun.has(threadId)) continue;
        const started = begin(threadId).finally(() => begun.delete(threadId));
        begun.set(threadId, started);
        // Who handed it over hears of it; otherwise it is found again at the next look.
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
        isDeepStrictEqual(await dispatch.limits(), NO_LIMITS) &&
        (await dispatch.pausedSince()) === null;
      if (isOpen || !(await isWanted(engine, threadId))) return carrier.carry(threadId);
      await look();
      const report = begun.get(threadId);
      if (report !== undefined) return report;
      const thread = await store.get(threadId);
      const place = thread === null ? null : queuePlaceOf(thread);
      // Started, and at rest already.
      if (place === null) return { kind: "ready" };
      return { kind: "failed", failure: noRoom(threadId, place) };
    },
  };
}

/** False for a thread that waits for a person, has an owner, or was told to end: it does not wait in the queue. */
async function isWanted(
  { store, dispatch, now }: Pick<Engine, "store" | "dispatch" | "now">,
  threadId: string,
): Promise<boolean> {
  const [signals = []] = await store.signals([threadId]);
  if (signals.includes("kill")) return false;
  const job = { threadId, replaces: null, for: null, notBefore: null, nowMs: now() };
  return dispatch.want(job).then(
    () => true,
    () => false,
  );
}

/** No fault of the thread's: a disk may have room again. */
const PASSING: readonly ErrorCode[] = ["LIMIT_REACHED", "LEASE_HELD", "STORAGE_FAILED"];

/** Why it is not worth trying again; null: it is. */
function refusal({ code, message }: Failure): string | null {
  return PASSING.includes(code) ? null : `${code}: ${message}`;
}
