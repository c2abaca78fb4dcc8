/** Adds the next role to the threads of a list. */
import {
  isFinal,
  pendingInputOf,
  type ThreadActivity,
  type ThreadSummary,
} from "@uncaged/workflow-protocol";
import { loadChain } from "../chain/chain.ts";
import type { Engine } from "../storage/engine.ts";

/** A list may be long, and asking the table of a thread takes as long as reading the thread. */
const MOST_ASKED = 50;

type Listed = Pick<ThreadSummary, "threadId" | "status" | "suspended"> & {
  activity: ThreadActivity | null;
};

/** `nextRole`: the role under way, or that is waited for, or that runs once the thread continues, or what else its
 *  table names; null once the thread has ended, and for one that cannot be read. The table is asked for the first
 *  fifty threads where nothing else says it; the others have no `nextRole`. */
export async function withNextRoles<T extends Listed>(
  engine: Pick<Engine, "root" | "cas" | "store">,
  threads: readonly T[],
): Promise<(T & { nextRole?: string | null })[]> {
  const all: (T & { nextRole?: string | null })[] = [];
  let asked = 0;
  for (const thread of threads) {
    const known = knownRole(thread);
    if (known !== undefined) all.push({ ...thread, nextRole: known });
    else if (asked >= MOST_ASKED) all.push(thread);
    else {
      asked += 1;
      const nextRole = await askedRole(engine, thread.threadId).catch(() => null);
      all.push({ ...thread, nextRole });
    }
  }
  return all;
}

/** undefined: the table has to be asked. */
function knownRole({ status, suspended, activity }: Listed): string | null | undefined {
  return isFinal(status) ? null : (suspended?.role ?? activity?.role);
}

async function askedRole(
  engine: Pick<Engine, "root" | "cas" | "store">,
  threadId: string,
): Promise<string | null> {
  const thread = await engine.store.get(threadId);
  if (thread === null) return null;
  const input = pendingInputOf(thread);
  // An answer is not in the chain yet.
  if (input?.kind === "answer") return input.role;
  // Loaded on demand: it needs what evaluates tables, and most lists have nobody to ask for.
  const { roleAfter } = await import("./role-after.ts");
  return roleAfter(engine, thread, await loadChain(engine.cas, thread));
}
