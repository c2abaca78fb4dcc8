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
  type StepWorkspace,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { readSettings } from "@uncaged/workflow-register";
import {
  commitNamed,
  mayBeInRepository,
  recordSnapshot,
  shareSnapshots,
} from "@uncaged/workflow-workspace";
import type { NodeReader } from "../chain/read-node.ts";
import { walkChain } from "../chain/walk-chain.ts";
import { filesHere } from "../worktrees/files-here.ts";
import { isOwnFiles } from "../worktrees/own-files.ts";
import { folderOf } from "../worktrees/plan-worktree.ts";
import { makeWorktree } from "../worktrees/stand-worktree.ts";
import { takeBack } from "../worktrees/take-back.ts";
import {
  forgetWorktree,
  type ThreadWorktree,
  worktreeOf,
  writeWorktree,
} from "../worktrees/worktree-record.ts";

/** `own`: in a worktree, or not at all. `shared`: where the old thread works, with the files that are there. `as known`:
 *  in a worktree when the files of the step are known, else where the old thread works. */
export type ForkFiles = "own" | "shared" | "as known";

type Ports = { cas: NodeReader; root: string };
type Point = { startHash: string; head: string; threadId: string };

/** Returns the working directory of the fork: in a worktree, the same place as in the old work tree. */
export async function filesOfFork(
  { cas, root }: Ports,
  thread: ThreadRecord,
  { files, ...point }: Point & { files: ForkFiles },
): Promise<Result<string, Failure>> {
  const former = await worktreeOf(root, { threadId: thread.threadId, member: null });
  // The old thread's own worktree is nobody else's, and may be gone.
  const isWanted = files === "own" || (files === "as known" && former !== null);
  if (files === "shared" && former === null) return ok(thread.cwd);
  if (files === "shared") return err(noFiles(thread, "the thread works in a worktree of its own"));
  // Nothing of a thread's steps is read that cannot have worked in a repository.
  const mayHave = isWanted || mayBeInRepository(thread.cwd);
  const workspace = mayHave ? await workspaceAt(cas, thread, point) : null;
  const origin =
    workspace === null
      ? ok(originOf(former, point))
      : await stepOrigin(workspace, { former, root, thread, threadId: point.threadId });
  if (!origin.ok) return origin;
  return madeFrom(root, thread, { origin: origin.value, isWanted, workspace, point });
}

/** `isWanted`: a fork that cannot have the files is refused. */
async function madeFrom(
  root: string,
  thread: ThreadRecord,
  {
    origin,
    isWanted,
    workspace,
    point,
  }: { origin: Origin | null; isWanted: boolean; workspace: StepWorkspace | null; point: Point },
): Promise<Result<string, Failure>> {
  if (origin === null) {
    if (!isWanted) return ok(thread.cwd);
    const why = workspace === null ? "no step up to there has a record of them" : NO_COMMIT;
    return err(noFiles(thread, why));
  }
  const settings = await readSettings(root);
  if (!settings.ok) return settings;
  const { threadId } = point;
  const worktree: ThreadWorktree = {
    ...{ threadId, member: null, ...origin.begin },
    path: join(folderOf(root, settings.value.tasks.worktrees), threadId),
    // Not `uncaged/<thread>`: git would take that for the reference to its snapshots.
    branch: `uncaged/fork-${threadId}`,
  };
  // Before the worktree: a crash in between leaves a record, and no worktree is without one.
  await writeWorktree(root, worktree);
  const made = await makeWorktree(worktree, null);
  if (made.ok) return ok(join(made.value.workTree, relative(origin.workTree, thread.cwd)));
  // A fork that failed, for example because the disk is full, leaves nothing.
  const taken = await takeBack(root, worktree, new Set());
  if (taken.ok) await forgetWorktree(root, worktree);
  return made;
}

const NO_COMMIT = "the repository had no commit yet";

/** What the last step up to the point that worked in the thread's own work tree did to the files: not that of a member in
 *  a worktree of its own. */
async function workspaceAt(
  cas: NodeReader,
  { cwd }: ThreadRecord,
  at: { startHash: string; head: string },
): Promise<StepWorkspace | null> {
  for await (const { node } of walkChain(cas, at)) {
    const { workspace } = node.payload;
    if (workspace !== undefined && isOwnFiles(cwd, workspace)) return workspace;
  }
  return null;
}

type Origin = {
  /** Root of the work tree that the old thread works in. */
  workTree: string;
  begin: Pick<ThreadWorktree, "repository" | "objectFormat" | "from" | "base" | "files">;
};

/** null: the repository had no commit. Where it is another one than the step's, as after an import, it may lack the
 *  commit: then the worktree begins on one that has just the files. */
async function stepOrigin(
  { repository, objectFormat, workTree, head, after: files }: StepWorkspace,
  {
    former,
    root,
    thread,
    threadId,
  }: {
    former: ThreadWorktree | null;
    root: string;
    thread: ThreadRecord;
    threadId: string;
  },
): Promise<Result<Origin | null, Failure>> {
  if (head === null) return ok(null);
  const gitDir = (await filesHere(root, threadId))(repository);
  const isHere = gitDir === repository;
  const from = former?.from ?? (isHere ? workTree : gitDir);
  const known = isHere ? ok(head) : await commitNamed(head, { commonDir: gitDir });
  const base = known.ok
    ? known
    : await filesAlone(gitDir, { origin: thread.threadId, threadId, tree: files });
  if (!base.ok) return base;
  const begin = { repository: gitDir, objectFormat, from, base: base.value, files };
  return ok({ workTree, begin });
}

/** A commit of the fork's own snapshots, which follow those of the old thread. */
async function filesAlone(
  gitDir: string,
  { origin, threadId, tree }: { origin: string; threadId: string; tree: string },
): Promise<Result<string, Failure>> {
  const shared = await shareSnapshots(gitDir, { from: origin, to: threadId });
  if (!shared.ok) return shared;
  return recordSnapshot({ gitDir, threadId, tree, message: "files for a fork", atMs: 0 });
}

/** Before any step, it begins as the old thread did. */
function originOf(
  former: ThreadWorktree | null,
  { head, startHash }: { head: string; startHash: string },
): Origin | null {
  if (former === null || head !== startHash) return null;
  const { repository, objectFormat, from, base, files, path: workTree } = former;
  return { workTree, begin: { repository, objectFormat, from, base, files } };
}

function noFiles({ threadId }: ThreadRecord, why: string): Failure {
  return failure(
    "USAGE",
    `the fork of thread ${threadId} cannot have its files: ${why}`,
    "fork it from another step, or with --no-files where it works",
  );
}
