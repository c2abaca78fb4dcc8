import {
  err,
  type Failure,
  failure,
  isFinal,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";
import { finishedRefusal } from "./finished-refusal.ts";
import { observedStatus } from "./observe.ts";
import { spawnRunner } from "./spawn-runner.ts";

/** Opens the gate of a paused thread, or starts a runner for one that has none. The runner replays the chain
 *  and repeats nothing. Refused: `TRANSITION_INVALID` (final, suspended), `LEASE_HELD` (a runner is at work). */
export async function resumeThread(
  engine: Engine,
  thread: ThreadRecord,
  opts: { run: "background" | "idle" },
): Promise<Result<ThreadRecord, Failure>> {
  const refusal = refusalOf(thread, engine.now());
  if (refusal !== null) return err(refusal);
  const atWork = observedStatus(thread, engine.now()).status === "running";
  await engine.store.clearSignal(thread.threadId, "pause");
  const settled = await reload(engine, thread);
  // The runner may have come to rest at the gate just before it was opened: then it needs a new one.
  if (!atWork || observedStatus(settled, engine.now()).status !== "running") {
    if (opts.run === "idle") return ok(settled);
    const runner = await spawnRunner(engine, thread.threadId);
    if (!runner.ok) return runner;
  }
  return ok(await reload(engine, thread));
}

function refusalOf(thread: ThreadRecord, nowMs: number): Failure | null {
  const { threadId, lease } = thread;
  const { status } = observedStatus(thread, nowMs);
  if (isFinal(status)) return finishedRefusal(thread, "a finished thread cannot go on");
  if (status === "suspended") {
    return failure(
      "TRANSITION_INVALID",
      `thread ${threadId} waits for an answer: ${thread.suspended?.message ?? ""}`,
      `hand the answer to its last role, then resume: uncaged-workflow thread poke ${threadId} --prompt <answer>`,
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

async function reload(engine: Engine, thread: ThreadRecord): Promise<ThreadRecord> {
  return (await engine.store.get(thread.threadId)) ?? thread;
}
