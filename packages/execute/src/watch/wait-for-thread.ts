import { setTimeout as sleep } from "node:timers/promises";
import { isFinal, type ThreadRecord, type ThreadStatus } from "@uncaged/workflow-protocol";
import { runningHost } from "../processes/host-file.ts";
import type { Engine } from "../storage/engine.ts";
import { lookAtThread } from "./look-at-thread.ts";

const LOOK_EVERY_MS = 40;

/** Many threads are polled less often, so that waiting for them costs next to nothing. */
const REST_MS_PER_THREAD = 2;

/** `thread`: null when it was removed meanwhile. */
export type RestingThread = { threadId: string; thread: ThreadRecord | null };

type Watched = Pick<Engine, "store" | "now" | "root">;

/** Waits until a thread ends, waits for a person, or has no runner (stopped, or its runner died). Returns null when it
 *  was removed meanwhile. */
export async function waitForThread(
  engine: Watched,
  threadId: string,
  signal: AbortSignal,
): Promise<ThreadRecord | null> {
  for await (const { thread } of waitForThreads(engine, [threadId], signal)) return thread;
  return null;
}

/** Yields each of the threads once it stops, in the order in which they stop. */
export async function* waitForThreads(
  engine: Watched,
  threadIds: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<RestingThread, void> {
  let waiting = threadIds;
  while (waiting.length > 0) {
    const under: string[] = [];
    for (const threadId of waiting) {
      const seen = await lookAtThread(engine, threadId);
      if (seen !== null && !restsNow(engine.root, seen.status)) under.push(threadId);
      else yield { threadId, thread: seen?.thread ?? null };
    }
    waiting = under;
    if (waiting.length === 0) return;
    const restMs = LOOK_EVERY_MS + waiting.length * REST_MS_PER_THREAD;
    await sleep(restMs, undefined, { signal });
  }
}

/** A queued thread continues on its own only if a host is up. */
export function restsNow(root: string, status: ThreadStatus): boolean {
  if (status === "queued") return runningHost(root) === null;
  return isFinal(status) || status === "suspended" || status === "idle";
}
