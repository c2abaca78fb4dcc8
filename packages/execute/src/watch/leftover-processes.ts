/** Processes that a former owner of a thread started and that still run.
 *
 *  A guard ends them when their owner is killed. They are left over when the guard was killed as well, when they belong
 *  to another user, or when a role was told to keep them. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  isThreadId,
  leaseOf,
  PROCESS_TAG_ENV,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { processesWith } from "@uncaged/workflow-util";
import { leaseTag, runnerTag, threadOf } from "../processes/process-tags.ts";
import type { Engine } from "../storage/engine.ts";
import { runnerState } from "./observe.ts";

export type LeftoverProcesses = { threadId: string; pids: number[]; command: string };

/** A starting or ending runner, and a guard at work, get this time: what still runs afterwards is left over. */
const LOOK_AGAIN_MS = 1_000;

/** Leftover processes of this root's threads. */
export async function leftoverProcesses(
  engine: Pick<Engine, "store" | "now">,
): Promise<LeftoverProcesses[]> {
  const first = await look(engine);
  if (first.size === 0) return [];
  await sleep(LOOK_AGAIN_MS);
  const again = await look(engine);
  const byThread = new Map<string, number[]>();
  for (const [pid, threadId] of again) {
    if (first.get(pid) !== threadId) continue;
    byThread.set(threadId, [...(byThread.get(threadId) ?? []), pid]);
  }
  return [...byThread].map(([threadId, pids]) => ({
    threadId,
    pids,
    command: `uncaged-workflow thread stop ${threadId}`,
  }));
}

/** Pid to thread. */
async function look(engine: Pick<Engine, "store" | "now">): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  for (const [pid, tag] of processesWith(PROCESS_TAG_ENV)) {
    const threadId = threadOf(tag);
    if (!isThreadId(threadId)) continue;
    const thread = await engine.store.get(threadId);
    if (thread !== null && !isOwned(thread, { pid, tag }, engine.now())) found.set(pid, threadId);
  }
  return found;
}

/** Its owner is alive and may be using it. */
function isOwned(
  thread: ThreadRecord,
  { pid, tag }: { pid: number; tag: string },
  nowMs: number,
): boolean {
  const { threadId } = thread;
  const lease = leaseOf(thread);
  if (lease === null || runnerState(lease, nowMs) === "dead") return false;
  if (`${tag}:`.startsWith(`${runnerTag(threadId)}:`)) return lease.process.pid === pid;
  return `${tag}:`.startsWith(`${leaseTag(lease)}:`);
}
