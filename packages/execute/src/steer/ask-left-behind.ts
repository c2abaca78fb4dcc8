/** Asks what runners were about to ask when they died, between the step that leads to a person and the question.
 *
 *  1. Only of threads whose runner is certainly gone, and that nobody wanted to stop.
 *  2. No role runs: each thread is taken for as long as it takes to say what it waits for. So a group is left alone while an
 *     agent of it has to run, and so is a workflow without a table.
 *  3. A thread that cannot be taken stays as it is. */
import type { ThreadRecord } from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";
import { observedStatus } from "../watch/observe.ts";

export async function askLeftBehind(
  engine: Engine,
  threads: readonly ThreadRecord[],
  signal: AbortSignal,
): Promise<void> {
  for (const thread of threads) {
    if (!isLeft(thread, engine.now())) continue;
    // Loaded on demand: it runs the thread, and mostly nobody is left.
    const { askIfPerson } = await import("./ask-if-person.ts");
    await askIfPerson(engine, thread, signal);
  }
}

function isLeft(thread: ThreadRecord, nowMs: number): boolean {
  const { status, stale } = observedStatus(thread, nowMs);
  return thread.status === "running" && stale && status === "idle" && thread.signals.length === 0;
}
