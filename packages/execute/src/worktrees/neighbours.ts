/** Who else works in a git work tree. Work trees are told apart by their folders; git is not started. */
import { realpathSync } from "node:fs";
import { type Failure, failure, leaseOf, type ThreadRecord } from "@uncaged/workflow-protocol";
import { workTreeAround } from "@uncaged/workflow-workspace";
import type { Engine } from "../storage/engine.ts";
import { lookAgain } from "../watch/look-at-thread.ts";

/** The running threads that work in the same work tree, oldest lease first. */
export async function threadsBeside(
  engine: Pick<Engine, "store" | "now">,
  cwd: string,
): Promise<ThreadRecord[]> {
  const workTree = workTreeOf(cwd);
  if (workTree === null) return [];
  const beside: ThreadRecord[] = [];
  for (const thread of await engine.store.list({ withLease: true })) {
    if (workTreeOf(thread.cwd) !== workTree) continue;
    const seen = await lookAgain(engine, thread);
    if (seen?.status === "running") beside.push(seen.thread);
  }
  return beside.sort(byLease);
}

/** A running thread that keeps this one, which also has a lease, from working alone; null: none does. Of two at once the
 *  one with the older lease goes on. Threads above and below it are its own. */
export async function keptOutBy(
  engine: Pick<Engine, "store" | "now">,
  thread: ThreadRecord,
): Promise<ThreadRecord | null> {
  for (const other of await threadsBeside(engine, thread.cwd)) {
    if (other.threadId === thread.threadId || byLease(other, thread) > 0) continue;
    if (await isBelow(engine, { thread, above: other.threadId })) continue;
    if (await isBelow(engine, { thread: other, above: thread.threadId })) continue;
    return other;
  }
  return null;
}

function byLease(a: ThreadRecord, b: ThreadRecord): number {
  const [first, second] = [a, b].map((each) => leaseOf(each)?.acquiredAt ?? Infinity);
  if (first !== second) return (first ?? 0) < (second ?? 0) ? -1 : 1;
  return a.threadId < b.threadId ? -1 : 1;
}

async function isBelow(
  { store }: Pick<Engine, "store">,
  { thread, above }: { thread: ThreadRecord; above: string },
): Promise<boolean> {
  let at: ThreadRecord | null = thread;
  for (let depth = thread.depth; depth >= 0 && at !== null; depth -= 1) {
    if (at.parentThread === above) return true;
    at = at.parentThread === null ? null : await store.get(at.parentThread);
  }
  return false;
}

export function workTreeOf(folder: string): string | null {
  try {
    return workTreeAround(realpathSync(folder));
  } catch {
    return null;
  }
}

export function workspaceBusy(
  { threadId, workflow }: Pick<ThreadRecord, "threadId" | "workflow">,
  cwd: string,
): Failure {
  return failure(
    "WORKSPACE_BUSY",
    `thread ${threadId} (${workflow}) works in ${workTreeOf(cwd) ?? cwd}, and this workflow wants to be alone there`,
    "let it work in a git worktree of its own: --worktree; or wait until the other one has ended",
  );
}
