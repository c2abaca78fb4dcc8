/** Asks what runners were about to ask when they died, between the step that leads to a person and the question.
 *
 *  1. Only of threads whose runner is certainly gone, and that nobody wanted to stop.
 *  2. No role runs: each thread is taken for as long as it takes to say what it waits for.
 *  3. A thread that cannot be taken stays as it is. */
import { SUSPEND, type ThreadRecord } from "@uncaged/workflow-protocol";
import { useExternals } from "@uncaged/workflow-register";
import { loadChain } from "../chain/chain.ts";
import { threadContext } from "../chain/thread-context.ts";
import { bundleOf } from "../run/load-run.ts";
import { nextRole } from "../run/next-role.ts";
import { runThread } from "../run/run-thread.ts";
import type { Engine } from "../storage/engine.ts";
import { observedStatus } from "../watch/observe.ts";

export async function askLeftBehind(
  engine: Engine,
  threads: readonly ThreadRecord[],
  signal: AbortSignal,
): Promise<void> {
  for (const thread of threads) {
    if (!isLeft(thread, engine.now()) || !(await comesToPerson(engine, thread))) continue;
    useExternals(engine.root, engine.packagesBase);
    await runThread(engine, { threadId: thread.threadId, maxSteps: 0, signal, room: "or nothing" });
  }
}

function isLeft(thread: ThreadRecord, nowMs: number): boolean {
  const { status, stale } = observedStatus(thread, nowMs);
  return thread.status === "running" && stale && status === "idle" && thread.signals.length === 0;
}

async function comesToPerson(engine: Engine, thread: ThreadRecord): Promise<boolean> {
  const chain = await loadChain(engine.cas, thread);
  const bundle = await bundleOf(engine, thread, chain);
  if (!bundle.ok) return false;
  const { descriptor } = bundle.value;
  const context = await threadContext(engine.cas, thread, chain);
  const role = await nextRole(thread, descriptor, context);
  if (role === null || role === SUSPEND) return role === SUSPEND;
  return Object.hasOwn(descriptor.roles, role) && descriptor.roles[role]?.person !== undefined;
}
