import type { ThreadSummary } from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";
import { threadSummary } from "./observe.ts";

/** Threads, newest first. */
export async function listThreads(
  engine: Pick<Engine, "store" | "now">,
  filter: { workflow?: string; limit?: number; suspended?: true },
): Promise<ThreadSummary[]> {
  const nowMs = engine.now();
  const threads = await engine.store.list(filter);
  return threads.map((thread) => threadSummary(thread, nowMs));
}

export type RunningThread = ThreadSummary & { pid: number; heartbeatAt: number };

/** Threads that have a runner, or had one that went away without a word. */
export async function runningThreads(
  engine: Pick<Engine, "store" | "now">,
): Promise<RunningThread[]> {
  const nowMs = engine.now();
  const threads = await engine.store.list({ withLease: true });
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
