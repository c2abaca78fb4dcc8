import { timerMs } from "@uncaged/workflow-protocol";

export type StepDeadline = {
  /** Aborts when the thread is stopped, or the step's time is over. */
  signal: AbortSignal;
  /** Milliseconds that are left; null: no limit. */
  remainingMs(): number | null;
  /** The time is over, and it is not the thread that was stopped. */
  expired(): boolean;
  clear(): void;
};

/** One limit for all the turns of a step, however many there are. */
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
