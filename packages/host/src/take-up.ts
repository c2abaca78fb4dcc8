/** Finds threads that only need a host, and continues them.
 *
 *  1. An owner that is certainly dead (its process ended, or the machine has restarted since) is replaced at once.
 *  2. An owner that was only silent for longer than its lease may have slept with the whole machine, and is waking up
 *     like us: it gets one lease period to renew. In a root that machines share, the store's clock has not slept, and clocks
 *     of machines prove nothing: a heartbeat that we have not seen change for most of a lease has us ask for the thread,
 *     and the store decides.
 *  3. A thread that somebody had asked to stop becomes idle; one that is being killed is left to whoever kills it.
 *  4. A person who missed a deadline is no longer waited for.
 *  5. Threads that were stopped, paused or never started have no owner, and are left alone. */
import {
  acquire,
  type Engine,
  isOverdue,
  LEASE_TTL_MS,
  observedStatus,
  releaseLease,
} from "@uncaged/workflow-execute";
import { type ProcessIdentity, type RunningThread, waitsOf } from "@uncaged/workflow-protocol";
import { livenessOf } from "@uncaged/workflow-util";
import type { Carrier } from "./carry-threads.ts";
import type { ThreadsElsewhere } from "./threads-elsewhere.ts";

/** A heartbeat is up to so much older than our first sight of it, and being refused costs little. */
const ASK_AFTER_MS = LEASE_TTL_MS - 3_000;

export function takeUp(
  engine: Pick<Engine, "store" | "now" | "live">,
  carrier: Pick<Carrier, "carry" | "carries" | "restsBecause">,
  {
    isShared,
    elsewhere,
    monotonicMs = () => performance.now(),
  }: { isShared: boolean; elsewhere: ThreadsElsewhere; monotonicMs?: () => number },
): { look: () => Promise<void>; hasLostOwner: () => boolean } {
  /** Processes that were alive at the last look, or may have been, and own threads. */
  let owners: readonly ProcessIdentity[] = [];
  /** When each silent lease was first noticed, by thread and fence; of a shared root, each heartbeat. */
  let silentSince = new Map<string, number>();
  const taking: Pick<Carrier, "carry" | "restsBecause"> = {
    restsBecause: carrier.restsBecause,
    carry: async (threadId) => {
      const report = await carrier.carry(threadId);
      elsewhere.note(threadId, report);
      return report;
    },
  };

  return {
    /** Whether one of them has certainly died since. It costs no statement, so it can be asked between looks. */
    hasLostOwner: () => owners.some((owner) => livenessOf(owner) === "dead"),
    look: async () => {
      const seen = new Map<string, number>();
      const isLeft = (thread: RunningThread): boolean => {
        const { threadId, lease } = thread;
        const { stale, status } = observedStatus(thread, engine.now());
        if (status === "idle") return true;
        if (!stale && !isShared) return false;
        const key = `${threadId}:${lease.fence}:${isShared ? lease.heartbeatAt : ""}`;
        const since = silentSince.get(key) ?? monotonicMs();
        seen.set(key, since);
        return monotonicMs() - since >= (isShared ? ASK_AFTER_MS : LEASE_TTL_MS);
      };
      const leased = await engine.store.list({ withLease: true });
      const running = leased.filter((thread) => thread.status === "running");
      const left = running.filter(isLeft);
      owners = ownersOf(
        running.filter((each) => !left.includes(each) && !carrier.carries(each.threadId)),
      );
      silentSince = seen;
      const overdue = (await engine.store.list({ suspended: true })).filter((thread) =>
        waitsOf(thread).some((wait) => isOverdue(wait, engine.now())),
      );
      const free = [...left, ...overdue].filter(
        ({ threadId }) => !carrier.carries(threadId) && !elsewhere.has(threadId),
      );
      // A thread that fails here is found again at the next look.
      await Promise.allSettled(
        free.map((thread) =>
          thread.status === "running"
            ? goOn(engine, taking, thread)
            : taking.carry(thread.threadId),
        ),
      );
    },
  };
}

/** Each once: a worker has many threads. */
function ownersOf(threads: readonly RunningThread[]): readonly ProcessIdentity[] {
  return [
    ...new Map(
      threads.map(({ lease }) => [`${lease.process.pid} ${lease.process.bootId}`, lease.process]),
    ).values(),
  ];
}

async function goOn(
  engine: Pick<Engine, "store" | "now" | "live">,
  carrier: Pick<Carrier, "carry" | "restsBecause">,
  thread: RunningThread,
): Promise<void> {
  const why = carrier.restsBecause(thread.bundleHash);
  if (thread.signals.includes("kill")) return;
  if (why !== null || thread.signals.includes("stop")) await putToRest(engine, thread, why);
  else await carrier.carry(thread.threadId);
}

/** Takes the thread and gives it up: it is idle, or paused if its gate is closed. `why`: for whoever watches it. */
async function putToRest(
  engine: Pick<Engine, "store" | "now" | "live">,
  { threadId, lease: { fence: replaces } }: RunningThread,
  why: string | null,
): Promise<void> {
  const lease = await acquire(engine, threadId, replaces);
  if (why !== null) {
    const writer = engine.live.writer(lease);
    const timestamp = engine.now();
    writer.append({ threadId, timestamp, type: "status", status: "idle", summary: why });
    writer.close();
  }
  await releaseLease(engine, lease, { status: "paused" });
}
