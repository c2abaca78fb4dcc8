import { endMarked, findMarked, identifyProcess } from "@uncaged/workflow-util";
import { endOwner } from "./end-owner.ts";
import { guardedOwners } from "./guard.ts";
import { runnerMark, threadMark } from "./marks.ts";

/** Ends every process of a thread: whoever owns or owned it and is still there, and all that they started for it.
 *  `spare`: pid of an owner that has given the thread up and is on its way out. Never our own process, nor one
 *  that we run in. Gives how many were found. */
export async function endProcesses(threadId: string, spare: number | null): Promise<number> {
  const runners = findMarked(runnerMark(threadId)).flatMap((pid) => identifyProcess(pid) ?? []);
  const owners = new Map(
    [...runners, ...guardedOwners(threadId)]
      .filter(({ pid }) => pid !== spare && pid !== process.pid)
      .map((owner) => [owner.pid, owner]),
  );
  for (const owner of owners.values()) endOwner(owner);
  const { ended } = await endMarked({ mark: threadMark(threadId), graceMs: 0 });
  return owners.size + ended.length;
}
