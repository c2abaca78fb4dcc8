import { timerMs } from "@uncaged/workflow-protocol";

export type StepDeadline = {
  /** Aborts when the thread is stopped, or the step's time is up. */
  signal: AbortSignal;
  /** Milliseconds that are left; null: no limit. */
  remainingMs(): number | null;
  /** The time is up, and the thread was not stopped. */
  expired(): boolean;
  clear(): void;
};

/** One limit for all turns of a step together. */
export function stepDeadline(timeoutMs: number | null, thread: AbortSignal): StepDeadline {
  const over = new AbortController();
  const startMs = performance.now();
  const timer = timeoutMs === null ? undefined : setTimeout(() => over.abort(), timerMs(timeoutMs));
  return {
    signal: AbortSignal.any([thread, over.signal]),
    remainingMs: () =>
      timeoutMs === null ? null : Math.max(1, Math.ceil(timeoutMs - (performance.now() - startMs))),
    expired: () => over.signal.aborted && !thread.aborted,
    clear: () => clearTimeout(timer),
  };
}
