import { isFinished } from "@uncaged/workflow-protocol";
import { startRunner } from "../runner/start-runner.ts";
import type { Engine } from "../storage/engine.ts";
import { lookAtThread } from "../watch/look-at-thread.ts";

/** Kills a thread and all below it: parents first, so that none starts another child. A thread without a runner
 *  gets one once more, to receive the signal. */
export async function endTree(engine: Engine, threadId: string): Promise<void> {
  const seen = await lookAtThread(engine, threadId);
  if (seen === null || isFinished(seen.thread)) return;
  await engine.store.signal(threadId, "kill", engine.now());
  if (seen.status !== "running") await startRunner(engine, threadId);
  for (const child of await engine.store.list({ parentThread: threadId }))
    await endTree(engine, child.threadId);
}
