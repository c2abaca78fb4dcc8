import { setTimeout as wait } from "node:timers/promises";

/** Waits; false when the signal ended it early. */
export async function sleep(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await wait(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
