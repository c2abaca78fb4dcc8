import {
  err,
  type Failure,
  failure,
  failureFrom,
  isFinal,
  type Limits,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";
import { finishedRefusal } from "./finished-refusal.ts";
import { observedStatus } from "./observe.ts";
import { reload } from "./reload.ts";
import { spawnRunner } from "./spawn-runner.ts";

/** Opens the gate of a paused thread, answers a suspended one, or starts a runner for one that has none. The runner replays the chain
 *  and repeats nothing. Refused: `TRANSITION_INVALID` (final, suspended), `LEASE_HELD` (a runner is at work). */
export async function resumeThread(
  engine: Engine,
  thread: ThreadRecord,
  opts: { answer: string | null; limits: Limits | null },
): Promise<Result<ThreadRecord, Failure>> {
  const refusal = refusalOf(thread, { ...opts, nowMs: engine.now() });
  if (refusal !== null) return err(refusal);
  if (opts.limits !== null) {
    const raised = await raise(engine, thread.threadId, opts.limits);
    if (!raised.ok) return raised;
  }
  if (opts.answer !== null) {
    const answered = await answer(engine, thread.threadId, opts.answer);
    if (!answered.ok) return answered;
  }
  const hadRunner = isAtWork(thread, engine.now());
  await engine.store.clearSignal(thread.threadId, "pause");
  const settled = await reload(engine, thread);
  // The runner may have come to rest at the gate just before it was opened: then it needs a new one.
  if (!hadRunner || !isAtWork(settled, engine.now())) {
    const runner = await spawnRunner(engine, thread.threadId);
    if (!runner.ok) return runner;
  }
  return ok(await reload(engine, thread));
}

/** A runner that fell silent for longer than its lease is not at work: another may take its place. */
function isAtWork(thread: ThreadRecord, nowMs: number): boolean {
  const { status, stale } = observedStatus(thread, nowMs);
  return status === "running" && !stale;
}

/** Durable before anything runs, too; alone it changes nothing that was done. */
async function raise(
  engine: Engine,
  threadId: string,
  limits: Limits,
): Promise<Result<null, Failure>> {
  try {
    await engine.store.raise({ threadId, limits, nowMs: engine.now() });
    return ok(null);
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}

/** Durable before anything runs: a crash from here on does not lose what the person said. */
async function answer(
  engine: Engine,
  threadId: string,
  text: string,
): Promise<Result<null, Failure>> {
  try {
    await engine.store.answer({ threadId, text, nowMs: engine.now() });
    return ok(null);
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}

function refusalOf(
  thread: ThreadRecord,
  { answer, limits, nowMs }: { answer: string | null; limits: Limits | null; nowMs: number },
): Failure | null {
  const { threadId, lease } = thread;
  const { status } = observedStatus(thread, nowMs);
  if (isFinal(status)) return finishedRefusal(thread, "a finished thread cannot go on");
  if (thread.suspended?.kind === "limit") {
    if (limits !== null && answer === null) return null;
    return failure(
      "TRANSITION_INVALID",
      `thread ${threadId} waits because ${thread.suspended.message}`,
      `go on with: uncaged-workflow thread resume ${threadId} --max-steps <n>, --max-tokens, --max-cost or --max-time`,
    );
  }
  if (status !== "suspended" && answer !== null) {
    return failure(
      "TRANSITION_INVALID",
      `thread ${threadId} is ${status}; it asked nothing`,
      `to have its last step done again with a prompt: uncaged-workflow thread poke ${threadId} --prompt <text>`,
    );
  }
  if (status === "suspended" && answer === null) {
    return failure(
      "TRANSITION_INVALID",
      `thread ${threadId} waits for an answer: ${thread.suspended?.message ?? ""}`,
      `answer with: uncaged-workflow thread resume ${threadId} -p <answer>`,
    );
  }
  if (
    status === "running" &&
    !thread.signals.includes("pause") &&
    lease !== null &&
    lease.expiresAt > nowMs
  ) {
    return failure(
      "LEASE_HELD",
      `thread ${threadId} is already run by process ${lease.process.pid}`,
      `watch it with: uncaged-workflow thread live ${threadId}`,
    );
  }
  return null;
}
