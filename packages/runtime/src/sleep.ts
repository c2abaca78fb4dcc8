import { setTimeout as wait } from "node:timers/promises";
import { timerMs } from "@uncaged/workflow-protocol";

/** Waits. Rejects with the reason of an abort that cuts it short. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await wait(timerMs(ms), undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}
