/** Takes a worktree back. Nothing is removed that is not in a commit; ignored files are.
 *
 *  The folder is renamed first, then forgotten by git, then deleted: a crash leaves either a worktree or a folder
 *  `.uncaged-removed-…`, which the next removal beside it deletes. A worktree with half its files would look changed. */
import { existsSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { isErrno } from "@uncaged/workflow-util";
import { runGit } from "../git/run-git.ts";
import { findRepository, type Repository } from "../repository/find-repository.ts";
import { filesAsTree } from "./archive-worktree.ts";
import { registeredWorktrees } from "./registered-worktrees.ts";
import { isSaved, type Unsaved, unsavedIn } from "./unsaved-in.ts";

type Removal = {
  repository: Pick<Repository, "commonDir">;
  path: string;
  /** A tree with its files that a ref keeps: then it is removed if it still has exactly those. */
  recorded?: string;
  /** Whether a ref keeps what is in no commit of a branch. Default: what `recorded` says. */
  isKept?: (worktree: Repository, unsaved: Unsaved) => Promise<Result<boolean, Failure>>;
};

/** One that is already gone is no failure. `WORKTREE_UNSAVED`: it has what is in no commit; `USAGE`: it is no worktree
 *  of this repository, or the main one; `GIT_FAILED`. */
export async function removeWorktree({
  repository,
  path,
  recorded,
  isKept: kept = (worktree) => hasTree(worktree, recorded ?? null),
}: Removal): Promise<Result<void, Failure>> {
  const registered = await registeredWorktrees(repository);
  if (!registered.ok) return registered;
  const at = registered.value.findIndex((each) => each.path === path);
  if (at === -1 && !existsSync(path)) return sweep(dirname(path));
  if (at <= 0) return err(noWorktree(path));
  const found = existsSync(path) ? await findRepository(path) : ok(null);
  if (!found.ok) return found;
  if (found.value !== null && existsSync(join(found.value.gitDir, "index"))) {
    const unsaved = await unsavedIn(found.value);
    if (!unsaved.ok) return unsaved;
    const isKept = await kept(found.value, unsaved.value);
    if (!isKept.ok) return isKept;
    const { hasSubmodules } = unsaved.value;
    if (isKept.value ? hasSubmodules : !isSaved(unsaved.value))
      return err(notSaved(path, unsaved.value));
  }
  const isOurs = await moveAside(path);
  const removed = await runGit(["worktree", "remove", "--force", path], {
    scope: { gitDir: repository.commonDir },
    cwd: repository.commonDir,
  });
  if (removed.ok) return sweep(dirname(path));
  // Somebody else who removes it too may have been first.
  const left = isOurs ? null : await registeredWorktrees(repository);
  const isGone = left?.ok === true && !left.value.some((each) => each.path === path);
  return isGone ? sweep(dirname(path)) : removed;
}

/** False: it is gone. */
async function moveAside(path: string): Promise<boolean> {
  const aside = join(dirname(path), `${REMOVED}${basename(path)}`);
  try {
    // Left by a removal that was cut off.
    await rm(aside, { recursive: true, force: true });
    await rename(path, aside);
    return true;
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return false;
    throw cause;
  }
}

async function hasTree(
  worktree: Repository,
  recorded: string | null,
): Promise<Result<boolean, Failure>> {
  if (recorded === null) return ok(false);
  const tree = await filesAsTree(worktree);
  return tree.ok ? ok(tree.value === recorded) : tree;
}

const REMOVED = ".uncaged-removed-";

async function sweep(folder: string): Promise<Result<void, Failure>> {
  if (!existsSync(folder)) return ok(undefined);
  for (const name of await readdir(folder))
    if (name.startsWith(REMOVED)) await rm(join(folder, name), { recursive: true, force: true });
  return ok(undefined);
}

function noWorktree(path: string): Failure {
  return failure(
    "USAGE",
    `${path} is no worktree that can be removed`,
    "see which there are: git worktree list",
  );
}

function notSaved(path: string, unsaved: Unsaved): Failure {
  return failure(
    "WORKTREE_UNSAVED",
    `${path} has what is in no commit: ${inWords(unsaved)}`,
    "commit it or throw it away there, then try again",
  );
}

function inWords({ changes, hasCommits, underway, hasSubmodules }: Unsaved): string {
  const shown = changes.slice(0, 5).map((path) => JSON.stringify(path));
  const more = changes.length > shown.length ? [`${changes.length - shown.length} more`] : [];
  return [
    ...(underway === null ? [] : [`a ${underway} that has not ended`]),
    ...(hasCommits ? ["commits on no branch"] : []),
    ...(hasSubmodules ? ["repositories of submodules"] : []),
    ...shown,
    ...more,
  ].join(", ");
}
