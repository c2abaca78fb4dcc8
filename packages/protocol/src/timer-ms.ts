/** Timers keep milliseconds in 32 bits (24.8 days): a longer wait would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** Milliseconds clamped to what a timer accepts. */
export function timerMs(ms: number): number {
  return Math.min(Math.max(1, Math.ceil(ms)), MAX_TIMER_MS);
}
