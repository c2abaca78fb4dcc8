import { existsSync } from "node:fs";
import { findRepository, mayBeInRepository } from "@uncaged/workflow-workspace";
import { lastWorkspace } from "./last-workspace.ts";
import type { NodeReader } from "./read-node.ts";

/** Git folders that have files of a thread's steps: that of its own folder and that of its last step. A thread whose
 *  folder is in no repository is taken to have none, so that nothing is read for it. */
export async function repositoriesOf(
  cas: NodeReader,
  thread: { cwd: string; startHash: string; head: string },
): Promise<string[]> {
  if (!mayBeInRepository(thread.cwd)) return [];
  const own = await findRepository(thread.cwd);
  const last = await lastWorkspace(cas, thread);
  const all = [last?.repository, own.ok ? own.value?.commonDir : undefined];
  const found = all.filter((repository) => repository !== undefined);
  return [...new Set(found)].filter((repository) => existsSync(repository));
}
