/** A folder of its own for a fork, with the files of the step that it goes on from.
 *
 *  A worktree of the same repository, on a branch of its own: nothing is copied that git shares, and what the fork does
 *  meets nobody else's work. The branch starts at the commit that HEAD named after that step; what the step had not
 *  committed lies there as changes. */
import { join, relative } from "node:path";
import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { readSettings } from "@uncaged/workflow-register";
import { makeFolderSync } from "@uncaged/workflow-util";
import { addWorktree } from "@uncaged/workflow-workspace";
import { lastWorkspace } from "../chain/last-workspace.ts";
import type { NodeReader } from "../chain/read-node.ts";

/** Returns the working directory of the fork: the same place in the worktree as in the old work tree. */
export async function filesOfFork(
  { cas, root }: { cas: NodeReader; root: string },
  thread: ThreadRecord,
  { threadId, ...point }: { startHash: string; head: string; threadId: string },
): Promise<Result<string, Failure>> {
  const workspace = await lastWorkspace(cas, point);
  if (workspace === null) return err(noFiles(thread, "no step up to there has a record of them"));
  const { repository: commonDir, workTree, head, after, objectFormat } = workspace;
  if (head === null) return err(noFiles(thread, "the repository had no commit yet"));
  const place = relative(workTree, thread.cwd);
  if (place.startsWith(".."))
    return err(noFiles(thread, `the step worked in ${workTree}, and the thread in ${thread.cwd}`));
  const settings = await readSettings(root);
  if (!settings.ok) return settings;
  const folder = settings.value.tasks.worktrees ?? join(root, "worktrees");
  makeFolderSync(folder);
  const made = await addWorktree({
    repository: { commonDir, objectFormat },
    path: join(folder, threadId),
    base: head,
    // Not `uncaged/<thread>`: git would take that for the reference to its snapshots.
    branch: `uncaged/fork-${threadId}`,
    files: after,
  });
  return made.ok ? ok(join(made.value.workTree, place)) : made;
}

function noFiles({ threadId }: ThreadRecord, why: string): Failure {
  return failure(
    "USAGE",
    `the fork of thread ${threadId} cannot have its files: ${why}`,
    "fork it without --files, or from another step",
  );
}
