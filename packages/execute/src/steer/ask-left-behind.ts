/** Asks what runners were about to ask when they died, between the step that leads to a person and the question.
 *
 *  1. Only of threads whose runner is certainly gone, and that nobody wanted to stop.
 *  2. No role runs: each thread is taken for as long as it takes to say what it waits for. So a group is left alone while an
 *     agent of it has to run, and so is a workflow without a table.
 *  3. A thread that cannot be taken stays as it is. */
import { openGroup, pickRoute } from "@uncaged/workflow-moderator";
import { SUSPEND, stepsBeforeGroup, type ThreadRecord } from "@uncaged/workflow-protocol";
import { useExternals } from "@uncaged/workflow-register";
import { loadChain } from "../chain/chain.ts";
import { threadContext } from "../chain/thread-context.ts";
import { bundleOf } from "../run/load-run.ts";
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
  const { roles, graph } = bundle.value.descriptor;
  const { steps, ...context } = await threadContext(engine.cas, thread, chain);
  const isOpen = openGroup(graph.edges, steps) !== null;
  const before = isOpen ? stepsBeforeGroup(steps) : steps;
  const { to, members } = await pickRoute(graph.edges, { ...context, steps: before });
  const isPerson = (role: string): boolean =>
    Object.hasOwn(roles, role) && roles[role]?.person !== undefined;
  if (members === null) return to === SUSPEND || isPerson(to);
  const done = new Set(steps.slice(before.length).map(({ group }) => group?.index));
  const missing = members.filter((_, index) => !done.has(index));
  return missing.length > 0 && missing.every(({ role }) => isPerson(role));
}
