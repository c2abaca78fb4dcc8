/** A timer keeps its milliseconds in 32 bits: a longer wait would be over at once. 24.8 days. */
const MAX_TIMER_MS = 2_147_483_647;

/** Milliseconds as a timer can take them. */
export function timerMs(ms: number): number {
  return Math.min(Math.max(1, Math.ceil(ms)), MAX_TIMER_MS);
}
