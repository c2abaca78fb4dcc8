import { type Lease, leaseOf, PROCESS_TAG_ENV, type ThreadStore } from "@uncaged/workflow-protocol";
import {
  findTagged,
  identifyProcess,
  isStopped,
  killTagged,
  processesWith,
} from "@uncaged/workflow-util";
import { endOwner } from "./end-owner.ts";
import { guardedOwners } from "./guard.ts";
import { leaseTag, runnerTag, threadTag } from "./process-tags.ts";

/** Ends every process of a thread: every owner that still exists, and everything they started for it.
 *
 *  1. An owner that has taken the thread meanwhile keeps it, with everything it started: the index is read after the
 *     processes were listed, and an owner has its lease before it has a guard. `over`: a lease that no longer counts.
 *  2. A runner without a guard has not taken the thread yet, or has given it up, and notices on its own. One that is
 *     stopped (SIGSTOP) cannot.
 *  3. `spare`: pid of an owner that has given up the thread and is about to exit. Our own process, and those that we
 *     run in, are never ended.
 *
 *  Returns the number of processes found. */
export async function endProcesses(
  store: Pick<ThreadStore, "get">,
  threadId: string,
  { spare, over }: { spare: number | null; over: Lease | null },
): Promise<number> {
  const runners = findTagged(runnerTag(threadId))
    .flatMap((pid) => identifyProcess(pid) ?? [])
    .filter(isStopped);
  const listed = [...runners, ...guardedOwners(threadId)];
  const thread = await store.get(threadId);
  const lease = thread && leaseOf(thread);
  const current = lease === null || lease.fence === over?.fence ? null : lease;
  const owners = new Map(
    listed
      .filter(({ pid }) => pid !== spare && pid !== process.pid && pid !== current?.process.pid)
      .map((owner) => [owner.pid, owner]),
  );
  for (const owner of owners.values()) endOwner(owner);
  const tag = tagsBeside(threadId, current);
  const { ended } = await killTagged({ tag, graceMs: 0 });
  return owners.size + ended.length;
}

/** Tags of everything that was started for the thread, except by its current owner. */
function tagsBeside(threadId: string, owner: Lease | null): string[] {
  if (owner === null) return [threadTag(threadId)];
  const tagged = [...processesWith(PROCESS_TAG_ENV).values()]
    .filter((tag) => tag.startsWith(threadTag(threadId)))
    .map((tag) => tag.split(":").slice(0, 2).join(":"));
  return [...new Set(tagged)].filter((tag) => tag !== leaseTag(owner));
}
