import {
  endingOf,
  leaseOf,
  queuePlaceOf,
  suspensionOf,
  type ThreadActivity,
  type ThreadRecord,
  type ThreadSummary,
  titleOf,
  waitsOf,
} from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";
import { lookAgain, type SeenThread } from "./look-at-thread.ts";
import { openWaits } from "./open-waits.ts";
import { threadActivity } from "./thread-activity.ts";

export type ListedThread = ThreadSummary & {
  /** Unix milliseconds. */
  createdAt: number;
};

type ThreadFilter = Parameters<Engine["store"]["list"]>[0];

/** Threads, newest first. */
export async function listThreads(
  engine: Pick<Engine, "store" | "now">,
  filter: ThreadFilter,
): Promise<ListedThread[]> {
  return (await lookAtEach(engine, await engine.store.list(filter))).map(listedThread);
}

/** Threads that wait for room, in the order in which they have their turn. */
export async function queuedThreads(
  engine: Pick<Engine, "store" | "dispatch" | "now">,
): Promise<ListedThread[]> {
  return (await lookAtEach(engine, await engine.dispatch.list())).map(listedThread);
}

/** `activity`: what the current step is doing; null when no step is running. */
export type Active<Thread> = Thread & { activity: ThreadActivity | null };

/** Only the logs of running threads are read. */
export async function withActivity<Thread extends Pick<ThreadSummary, "threadId" | "status">>(
  engine: Pick<Engine, "live">,
  threads: readonly Thread[],
): Promise<Active<Thread>[]> {
  const active: Active<Thread>[] = [];
  for (const thread of threads) {
    const runs = thread.status === "running";
    const activity = runs ? await threadActivity(engine.live, thread.threadId) : null;
    active.push({ ...thread, activity });
  }
  return active;
}

/** Threads that wait for a person, newest first: those that are suspended, and those of which something is asked while
 *  they run. */
export async function waitingThreads(
  engine: Pick<Engine, "store" | "now">,
  filter: ThreadFilter,
): Promise<ListedThread[]> {
  const { suspended: _, ...others } = filter;
  const suspended = (await listThreads(engine, { ...others, suspended: true })).filter(
    // That one waits for its coordinator.
    ({ suspended: wait }) => wait?.kind !== "coordinator",
  );
  const asked: ListedThread[] = [];
  for (const seen of await lookAtEach(
    engine,
    await engine.store.list({ ...others, asking: true }),
  )) {
    const waits = await openWaits(engine, seen.thread);
    if (waits.length > 0) asked.push({ ...listedThread(seen), waits });
  }
  const again = new Set(asked.map(({ threadId }) => threadId));
  return [...suspended.filter(({ threadId }) => !again.has(threadId)), ...asked].sort(
    (a, b) => b.createdAt - a.createdAt,
  );
}

export type RunningThread = Active<ListedThread & { pid: number; heartbeatAt: number }>;

/** Threads that have a runner, or had one that died without a message. */
export async function runningThreads(
  engine: Pick<Engine, "store" | "live" | "now">,
): Promise<RunningThread[]> {
  const seen = await lookAtEach(engine, await engine.store.list({ withLease: true }));
  const owned = seen.flatMap((each) => {
    const lease = leaseOf(each.thread);
    if (lease === null) return [];
    return [{ ...listedThread(each), pid: lease.process.pid, heartbeatAt: lease.heartbeatAt }];
  });
  return withActivity(engine, owned);
}

async function lookAtEach(
  engine: Pick<Engine, "store" | "now">,
  threads: readonly ThreadRecord[],
): Promise<SeenThread[]> {
  const seen = await Promise.all(threads.map((thread) => lookAgain(engine, thread)));
  return seen.filter((each) => each !== null);
}

function listedThread({ thread, status, stale }: SeenThread): ListedThread {
  const { threadId, workflow, bundleHash, head, stepCount, updatedAt } = thread;
  const { startedAt, createdAt, parentThread, depth, labels, usage } = thread;
  const { priority, pool, needs } = thread;
  const queue = queuePlaceOf(thread);
  const title = titleOf(thread);
  const [suspended, waits] = [suspensionOf(thread), waitsOf(thread)];
  const returnCode = endingOf(thread)?.returnCode ?? null;
  return {
    ...{ threadId, title, labels, workflow, bundleHash, status, stale, head, stepCount, usage },
    ...{ updatedAt, suspended, waits, queue, priority, pool, needs },
    ...{ startedAt, createdAt, returnCode, parentThread, depth },
  };
}
