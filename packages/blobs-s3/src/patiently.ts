import { setTimeout as sleep } from "node:timers/promises";
import { isPassing, s3Failed } from "./failures.ts";

/** How patient a call is. */
export type Patience = {
  /** Attempts of one call. */
  attempts: number;
  /** Of one attempt, milliseconds, besides what its bytes take. */
  attemptMs: number;
  /** Before the second attempt at most; doubled each time. Random, so that many do not come back at once. */
  pauseMs: number;
  /** Slower than this is too slow. */
  bytesPerSec: number;
};

/** One attempt; it ends when the signal aborts. `allow`: it has this many bytes to move, and time for them. */
export type Attempt<T> = (signal: AbortSignal, allow: (bytes: number) => void) => Promise<T>;

/** Throws what `s3Failed` makes of the last failure, and what is ours. */
export async function patiently<T>(
  what: string,
  { attempts, attemptMs, pauseMs, bytesPerSec }: Patience,
  attempt: Attempt<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const abort = new AbortController();
    const endIn = (ms: number) => setTimeout(() => abort.abort(tooSlow(ms)), ms);
    let timer = endIn(attemptMs);
    try {
      return await attempt(abort.signal, (bytes) => {
        clearTimeout(timer);
        timer = endIn(attemptMs + (bytes / bytesPerSec) * 1000);
      });
    } catch (thrown) {
      const cause = abort.signal.aborted ? abort.signal.reason : thrown;
      if (tries >= attempts || !isPassing(cause)) throw s3Failed(what, cause);
    } finally {
      clearTimeout(timer);
    }
    await sleep(Math.random() * pauseMs * 2 ** (tries - 1));
  }
}

function tooSlow(ms: number): Error {
  return new Error(`no answer within ${Math.round(ms / 100) / 10} s`);
}
