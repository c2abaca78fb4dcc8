import { timerMs } from "@uncaged/workflow-protocol";

/** Limits a program's total time and its time without a sign of life. */
export type TimeLimits = {
  /** The program did something. */
  active(): void;
  /** While we keep the program waiting, the silence is ours. Returns the function that ends the wait. */
  hold(): () => void;
  clear(): void;
};

export function watchTime(opts: {
  idleMs: number | undefined;
  totalMs: number | undefined;
  onLimit: (limit: "idle" | "total") => void;
}): TimeLimits {
  const { idleMs, totalMs, onLimit } = opts;
  let lastActiveMs = performance.now();
  let held = 0;
  let idleTimer: NodeJS.Timeout | undefined;
  // One timer that checks when it is due: restarting it for each chunk of a flood costs more than reading the chunk.
  const waitForSilence = (limitMs: number): void => {
    const silentMs = held > 0 ? 0 : performance.now() - lastActiveMs;
    if (silentMs >= limitMs) onLimit("idle");
    else idleTimer = setTimeout(waitForSilence, timerMs(limitMs - silentMs), limitMs);
  };
  if (idleMs !== undefined) waitForSilence(idleMs);
  const totalTimer =
    totalMs === undefined ? undefined : setTimeout(onLimit, timerMs(totalMs), "total");
  const active = (): void => {
    lastActiveMs = performance.now();
  };
  return {
    active,
    hold: () => {
      held++;
      return () => {
        held--;
        active();
      };
    },
    clear: () => {
      clearTimeout(idleTimer);
      clearTimeout(totalTimer);
    },
  };
}
