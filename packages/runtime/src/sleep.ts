import { setTimeout as wait } from "node:timers/promises";
import { timerMs } from "@uncaged/workflow-protocol";

/** Waits. Rejects with the abort's reason if aborted early. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await wait(timerMs(ms), undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}
