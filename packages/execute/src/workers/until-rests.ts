import { setTimeout as sleep } from "node:timers/promises";
import { type Failure, failure, WorkflowError } from "@uncaged/workflow-protocol";
import { runningHost } from "../processes/host-file.ts";
import { othersWereFirst, startRunner } from "../runner/start-runner.ts";
import type { Engine } from "../storage/engine.ts";
import { lookAtThread, type SeenThread } from "../watch/look-at-thread.ts";

const LOOK_EVERY_MS = 100;
/** Without a host nobody else takes a queued child up. */
const ASK_FOR_ROOM_EVERY = 10;
/** A child whose runner keeps dying, or giving up, is not worth another start. */
const MAX_RESTARTS = 3;
/** What made a runner give up, such as a full disk, may pass; longer each time. */
const AGAIN_AFTER_MS = 500;

/** Waits until a child thread rests in the way that is asked for. One without a runner is started, also when its runner has
 *  died or given up; one that a person stopped later is waited for. Throws `RUNNER_FAILED`, `THREAD_NOT_FOUND`, or the reason of an abort. */
export async function untilRests<T>(
  engine: Engine,
  threadId: string,
  {
    restsAs,
    mayStart = async () => true,
    start = startRunner,
    signal,
  }: {
    restsAs: (seen: SeenThread) => Promise<T | null> | T | null;
    /** Asked again and again until it is true. */
    mayStart?: () => Promise<boolean>;
    start?: typeof startRunner;
    signal: AbortSignal;
  },
): Promise<T> {
  let starts = 0;
  for (let looks = 1; ; looks += 1) {
    signal.throwIfAborted();
    const seen = await lookAtThread(engine, threadId);
    if (seen === null)
      throw new WorkflowError(
        failure("THREAD_NOT_FOUND", `child thread ${threadId} was removed`, ""),
      );
    const rests = await restsAs(seen);
    if (rests !== null) return rests;
    const { status, stale } = seen;
    if (status === "idle" && (starts === 0 || stale || !wasStopped(seen)) && (await mayStart())) {
      if (starts > MAX_RESTARTS) throw new WorkflowError(keepsDying(threadId));
      if (starts > 0 && !stale) await sleep(AGAIN_AFTER_MS * starts, undefined, { signal });
      starts += 1;
      const runner = await start(engine, threadId);
      if (!runner.ok && !othersWereFirst(runner.error)) throw new WorkflowError(runner.error);
    }
    if (status === "queued" && looks % ASK_FOR_ROOM_EVERY === 0)
      await startIfRoom(engine, threadId);
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** A stop is left with the thread until its next owner. A runner that gives up releases its thread without one. */
function wasStopped({ thread }: SeenThread): boolean {
  return "signals" in thread && thread.signals.includes("stop");
}

async function startIfRoom(engine: Engine, threadId: string): Promise<void> {
  if (runningHost(engine.root) !== null) return;
  const next = await engine.dispatch.next({ besides: [], nowMs: engine.now() });
  if (!next.includes(threadId)) return;
  const runner = await startRunner(engine, threadId);
  if (!runner.ok && !othersWereFirst(runner.error)) throw new WorkflowError(runner.error);
}

function keepsDying(threadId: string): Failure {
  return failure(
    "RUNNER_FAILED",
    `the runner of child thread ${threadId} died, or gave up, ${MAX_RESTARTS + 1} times`,
    `see: uncaged-workflow thread show ${threadId}`,
  );
}
