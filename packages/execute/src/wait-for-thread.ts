import { setTimeout as sleep } from "node:timers/promises";
import { isFinal, type ThreadRecord } from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";
import { lookAtThread } from "./look-at-thread.ts";

const LOOK_EVERY_MS = 40;

/** Waits until a thread ends, waits for a person, or has nobody who runs it (stopped, or its runner died).
 *  Gives null when it was removed meanwhile. */
export async function waitForThread(
  engine: Pick<Engine, "store" | "now">,
  threadId: string,
  signal: AbortSignal,
): Promise<ThreadRecord | null> {
  while (true) {
    const seen = await lookAtThread(engine, threadId);
    if (seen === null) return null;
    const { thread, status } = seen;
    if (isFinal(status) || status === "suspended" || status === "idle") return thread;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}
