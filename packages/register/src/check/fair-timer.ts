import { readFileSync } from "node:fs";

export type FairTimer = {
  pid: number | undefined;
  ms: number;
  /** Clock time after which it fires in any case. */
  maxMs: number;
  onOver: () => void;
  /** How long the process has waited for a processor so far, in milliseconds. */
  waited?: (pid: number | undefined) => number;
};

/** Fires when a process has had its time. Time during which it was runnable but had no processor does not count, so
 *  that an honest bundle passes on a busy machine; sleeping counts. Where the system does not report this (Linux
 *  does), only the clock counts. Returns a function that cancels it. */
export function fairTimer({ pid, ms, maxMs, onOver, waited = waitedMs }: FairTimer): () => void {
  const startedAt = performance.now();
  const waitedBefore = waited(pid);
  const look = (): void => {
    const elapsed = performance.now() - startedAt;
    const left = ms - (elapsed - (waited(pid) - waitedBefore));
    if (left < 1 || elapsed >= maxMs) onOver();
    else timer = setTimeout(look, Math.min(left, maxMs - elapsed));
  };
  let timer = setTimeout(look, ms);
  return () => clearTimeout(timer);
}

/** The second number that Linux reports, in nanoseconds. */
export function waitedMs(pid: number | undefined): number {
  try {
    const [, waitedNs = "0"] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
    return Number(waitedNs) / 1e6;
  } catch {
    return 0;
  }
}
