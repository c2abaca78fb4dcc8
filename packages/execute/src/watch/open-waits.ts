import { type ThreadRecord, type Wait, waitsOf } from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";
import { observedStatus } from "./observe.ts";

/** All that a thread waits for now: what it is suspended for, or what its running step asks a person. Empty, too, when
 *  nobody who could take an answer runs it. */
export async function openWaits(
  { store, now }: Pick<Engine, "store" | "now">,
  thread: ThreadRecord,
): Promise<readonly Wait[]> {
  if (thread.status !== "running") return waitsOf(thread);
  const { status, stale } = observedStatus(thread, now());
  if (status !== "running" || stale) return [];
  return (await store.asks({ threadId: thread.threadId })).map(({ wait }) => wait);
}
