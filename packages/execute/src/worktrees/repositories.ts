import { existsSync } from "node:fs";
import { findRepository, mayBeInRepository } from "@uncaged/workflow-workspace";
import { lastWorkspace } from "../chain/last-workspace.ts";
import type { NodeReader } from "../chain/read-node.ts";
import { placesOf } from "./files-here.ts";
import { worktreesIn } from "./worktree-record.ts";

/** Git folders that have files of a thread's steps: those of its worktrees, of its own folder and of its last step. A
 *  thread without worktrees whose folder is in no repository is taken to have none, so that nothing is read for it. */
export async function repositoriesOf(
  { cas, root }: { cas: NodeReader; root: string },
  thread: { threadId: string; cwd: string; startHash: string; head: string },
): Promise<string[]> {
  const worktrees = await worktreesIn(root, thread.threadId);
  const places = await placesOf(root, thread.threadId);
  if (worktrees.length === 0 && places.size === 0 && !mayBeInRepository(thread.cwd)) return [];
  // A thread with a worktree works there.
  const isApart = worktrees.some(({ member }) => member === null);
  const own = isApart || !existsSync(thread.cwd) ? null : await findRepository(thread.cwd);
  const last = await lastWorkspace(cas, thread);
  const all = [
    ...worktrees.map(({ repository }) => repository),
    ...places.values(),
    last?.repository,
    own?.ok ? own.value?.commonDir : undefined,
  ];
  const found = all.filter((repository) => repository !== undefined);
  return [...new Set(found)].filter((repository) => existsSync(repository));
}
