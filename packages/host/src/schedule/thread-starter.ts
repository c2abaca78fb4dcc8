import { type Engine, killThread, startThread } from "@uncaged/workflow-execute";
import { isFinished, ok } from "@uncaged/workflow-protocol";
import type { ThreadStarter } from "./fire-schedules.ts";

/** A thread is idle for a moment between a person's answer and its next runner. A thread that stays idle longer was
 *  stopped, possibly for good. */
const IDLE_FOR_MS = 60_000;

/** Starts threads as `run` does: in the host if one is up. `signal`: ends waiting for threads that are being ended. */
export function threadStarter(engine: Engine, signal: AbortSignal): ThreadStarter {
  return {
    start: async (planned, startKey) => {
      const started = await startThread(engine, { ...planned, startKey, run: "background" });
      return started.ok ? ok(started.value.threadId) : started;
    },
    goesOn: async (threadId) => {
      const thread = await engine.store.get(threadId);
      if (thread === null || isFinished(thread)) return false;
      return thread.status !== "idle" || engine.now() - thread.updatedAt < IDLE_FOR_MS;
    },
    end: async (threadId) => {
      const thread = await engine.store.get(threadId);
      // A thread that cannot be killed has ended on its own.
      if (thread !== null) await killThread(engine, thread, { signal });
    },
  };
}
