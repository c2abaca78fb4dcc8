import type { ThreadRecord, ThreadSummary } from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";
import { lookAgain } from "./look-at-thread.ts";
import { threadSummary } from "./observe.ts";

/** Threads, newest first. */
export async function listThreads(
  engine: Pick<Engine, "store" | "now">,
  filter: { workflow?: string; limit?: number; suspended?: true },
): Promise<ThreadSummary[]> {
  const threads = await believed(engine, await engine.store.list(filter));
  const nowMs = engine.now();
  return threads.map((thread) => threadSummary(thread, nowMs));
}

export type RunningThread = ThreadSummary & { pid: number; heartbeatAt: number };

/** Threads that have a runner, or had one that went away without a word. */
export async function runningThreads(
  engine: Pick<Engine, "store" | "now">,
): Promise<RunningThread[]> {
  const threads = await believed(engine, await engine.store.list({ withLease: true }));
  const nowMs = engine.now();
  return threads.flatMap((thread) =>
    thread.lease === null
      ? []
      : [
          {
            ...threadSummary(thread, nowMs),
            pid: thread.lease.process.pid,
            heartbeatAt: thread.lease.heartbeatAt,
          },
        ],
  );
}

async function believed(
  engine: Pick<Engine, "store" | "now">,
  threads: readonly ThreadRecord[],
): Promise<ThreadRecord[]> {
  const records = await Promise.all(threads.map((thread) => lookAgain(engine, thread)));
  return records.filter((thread) => thread !== null);
}
