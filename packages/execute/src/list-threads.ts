import type { ThreadRecord, ThreadSummary } from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";
import { lookAgain, type SeenThread } from "./look-at-thread.ts";

/** Threads, newest first. */
export async function listThreads(
  engine: Pick<Engine, "store" | "now">,
  filter: { workflow?: string; limit?: number; suspended?: true },
): Promise<ThreadSummary[]> {
  return (await lookAtEach(engine, await engine.store.list(filter))).map(threadSummary);
}

export type RunningThread = ThreadSummary & { pid: number; heartbeatAt: number };

/** Threads that have a runner, or had one that went away without a word. */
export async function runningThreads(
  engine: Pick<Engine, "store" | "now">,
): Promise<RunningThread[]> {
  const seen = await lookAtEach(engine, await engine.store.list({ withLease: true }));
  return seen.flatMap((each) => {
    const { lease } = each.thread;
    if (lease === null) return [];
    return [{ ...threadSummary(each), pid: lease.process.pid, heartbeatAt: lease.heartbeatAt }];
  });
}

async function lookAtEach(
  engine: Pick<Engine, "store" | "now">,
  threads: readonly ThreadRecord[],
): Promise<SeenThread[]> {
  const seen = await Promise.all(threads.map((thread) => lookAgain(engine, thread)));
  return seen.filter((each) => each !== null);
}

function threadSummary({ thread, status, stale }: SeenThread): ThreadSummary {
  const { threadId, workflow, bundleHash, head, stepCount, suspended, updatedAt } = thread;
  return {
    threadId,
    workflow,
    bundleHash,
    status,
    stale,
    head,
    stepCount,
    suspended,
    updatedAt,
  };
}
