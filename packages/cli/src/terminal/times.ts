/** Times in words. */

/** How long ago, in one unit: `just now`, `42 s ago`, `3 min ago`, `5 h ago`, `2 d ago`. */
export function ago(thenMs: number, nowMs: number): string {
  const age = nowMs - thenMs;
  return age < 1_000 ? "just now" : `${duration(age)} ago`;
}

/** A duration in its largest unit: `840 ms`, `42 s`, `3 min`, `5 h`, `2 d`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < 60_000) return `${Math.floor(ms / 1_000)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`;
  if (ms < 86_400_000) return `${Math.floor(ms / 3_600_000)} h`;
  return `${Math.floor(ms / 86_400_000)} d`;
}

/** ISO time to the second, UTC. */
export function isoSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
