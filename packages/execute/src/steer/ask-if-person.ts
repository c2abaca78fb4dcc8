import { openGroup, pickRoute } from "@uncaged/workflow-moderator";
import { SUSPEND, stepsBeforeGroup, type ThreadRecord } from "@uncaged/workflow-protocol";
import { useExternals } from "@uncaged/workflow-register";
import { loadChain } from "../chain/chain.ts";
import { threadContext } from "../chain/thread-context.ts";
import { bundleOf } from "../run/load-run.ts";
import { runThread } from "../run/run-thread.ts";
import type { Engine } from "../storage/engine.ts";

/** Has a thread without a runner ask its person, if its next step is a person's. */
export async function askIfPerson(
  engine: Engine,
  thread: ThreadRecord,
  signal: AbortSignal,
): Promise<void> {
  if (!(await comesToPerson(engine, thread))) return;
  useExternals(engine.root, engine.packagesBase);
  await runThread(engine, { threadId: thread.threadId, maxSteps: 0, signal, room: "or nothing" });
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
