import { isFinal, type ThreadRecord, type Wait, waitsOf } from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";
import { observedStatus } from "./observe.ts";

/** All that a thread waits for now: what it is suspended for, what members of its group are asked whoever runs it, and what
 *  its running step asks a person, as long as somebody runs it who can take the answer. */
export async function openWaits(
  { store, now }: Pick<Engine, "store" | "now">,
  thread: ThreadRecord,
): Promise<readonly Wait[]> {
  if (thread.status === "suspended" || isFinal(thread.status)) return waitsOf(thread);
  const { status, stale } = observedStatus(thread, now());
  const isRun = status === "running" && !stale;
  return (await store.asks({ threadId: thread.threadId }))
    .map(({ wait }) => wait)
    .filter(({ permission }) => permission !== true || isRun);
}
