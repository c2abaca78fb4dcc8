/** Decides which git worktree a thread, or a member of a group, gets. Nothing is made but folders: the worktree is made
 *  when somebody is to work there (`stand-worktree`). */
import { realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { err, type Failure, failure, ok, type Result, unwrap } from "@uncaged/workflow-protocol";
import { readSettings } from "@uncaged/workflow-register";
import { makeFolderSync, storagePaths } from "@uncaged/workflow-util";
import {
  commitNamed,
  findRepository,
  headOf,
  type Repository,
  recordSnapshot,
  takeSnapshot,
} from "@uncaged/workflow-workspace";
import type { ThreadWorktree } from "./worktree-record.ts";

export type PlannedWorktree = {
  worktree: ThreadWorktree;
  /** The same place in the worktree as the given folder has in its work tree. */
  cwd: string;
};

/** `USAGE`: the folder is in no git repository, or that has no commit yet; `GIT_FAILED`. */
export async function planWorktree(
  { root, now }: { root: string; now: () => number },
  {
    threadId,
    member,
    cwd,
    from,
  }: Pick<ThreadWorktree, "threadId" | "member"> & {
    /** Absolute folder that stands for the work tree to begin with. */
    cwd: string;
    /** `as it is`: HEAD, and the files as they are; else a commit, by default HEAD. */
    from: "as it is" | { base: string | null };
  },
): Promise<Result<PlannedWorktree, Failure>> {
  const found = await findRepository(cwd);
  if (!found.ok) return found;
  const repository = found.value;
  if (repository === null) return err(noRepository(cwd));
  const base =
    from === "as it is" || from.base === null
      ? await headOf(repository)
      : await commitNamed(from.base, repository);
  if (!base.ok) return base;
  if (base.value === null) return err(noCommit(repository));
  const settings = await readSettings(root);
  if (!settings.ok) return settings;
  const name = member === null ? threadId : `${threadId}.${member}`;
  const worktree: ThreadWorktree = {
    ...{ threadId, member, base: base.value },
    repository: repository.commonDir,
    objectFormat: repository.objectFormat,
    from: repository.workTree,
    path: join(folderOf(root, settings.value.tasks.worktrees), name),
    branch: `uncaged/work-${name}`,
    files: from === "as it is" ? await filesOf(repository, { root, now, threadId }) : null,
  };
  const place = relative(repository.workTree, await realpath(cwd));
  return ok({ worktree, cwd: join(worktree.path, place) });
}

/** The folder of all worktrees, made if it is missing, and as git names it. `configured`: `config.worktrees`. */
export function folderOf(root: string, configured: string | null): string {
  const folder = configured ?? join(root, "worktrees");
  makeFolderSync(folder);
  return realpathSync(folder);
}

/** Committed for the thread, so that `git gc` keeps them. */
async function filesOf(
  repository: Repository,
  { root, now, threadId }: { root: string; now: () => number; threadId: string },
): Promise<string> {
  const keep = storagePaths(root).workspaces;
  const { tree } = unwrap(await takeSnapshot({ repository, keep, leaveOut: [root] }));
  const gitDir = repository.commonDir;
  const message = "files for a worktree";
  unwrap(await recordSnapshot({ gitDir, threadId, tree, message, atMs: now() }));
  return tree;
}

function noRepository(cwd: string): Failure {
  return failure(
    "USAGE",
    `${cwd} is in no work tree of a git repository, so there can be no worktree of it`,
    "name a folder of a repository with --cwd, or make one there: git init, and a first commit",
  );
}

function noCommit({ workTree }: Repository): Failure {
  return failure(
    "USAGE",
    `the repository at ${workTree} has no commit yet, so there can be no worktree of it`,
    "make a first commit, then try again",
  );
}
