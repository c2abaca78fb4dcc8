/** Adds to the threads of a list who is next. */
import {
  isFinished,
  pendingInputOf,
  suspensionOf,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { loadChain } from "../chain/chain.ts";
import type { Engine } from "../storage/engine.ts";
import { roleAfter } from "./role-after.ts";

/** `nextRole`: the role that is under way, or that runs once the thread continues, or what else the table names; null
 *  once the thread has ended, and for one that cannot be read. */
export async function withNextRoles<T extends { threadId: string }>(
  engine: Pick<Engine, "root" | "cas" | "store">,
  threads: readonly T[],
): Promise<(T & { nextRole: string | null })[]> {
  const all: (T & { nextRole: string | null })[] = [];
  for (const thread of threads)
    all.push({ ...thread, nextRole: await next(engine, thread.threadId).catch(() => null) });
  return all;
}

async function next(
  engine: Pick<Engine, "root" | "cas" | "store">,
  threadId: string,
): Promise<string | null> {
  const thread = await engine.store.get(threadId);
  if (thread === null || isFinished(thread)) return null;
  return toldRole(thread) ?? roleAfter(engine, thread, await loadChain(engine.cas, thread));
}

/** Who asks a person, or got an answer that is not in the chain yet. */
function toldRole(thread: ThreadRecord): string | null {
  const input = pendingInputOf(thread);
  return input?.kind === "answer" ? input.role : (suspensionOf(thread)?.role ?? null);
}
