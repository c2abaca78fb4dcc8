import { isShared } from "@uncaged/workflow-util";
import type { Engine } from "../storage/engine.ts";
import { lastFiles } from "./saved-files.ts";

/** Threads that have not ended, whose files are on one machine only, oldest first. Of a root in its folder: none. */
export async function unpushedThreads({
  root,
  cas,
  store,
}: Pick<Engine, "root" | "cas" | "store">): Promise<{ threadId: string; machine: string }[]> {
  if (!isShared(root)) return [];
  const unpushed: { threadId: string; machine: string }[] = [];
  for (const thread of (await store.list({ unfinished: true })).reverse()) {
    const last = await lastFiles(cas, thread);
    if (last === null || last.saved.pushed) continue;
    unpushed.push({ threadId: thread.threadId, machine: last.saved.machine.name });
  }
  return unpushed;
}
