/** Makes a git worktree: a folder of its own for somebody who works beside others.
 *
 *  1. The files are written by a git dir of our own (`plain-git-dir`), so no filter of the repository runs.
 *  2. The index comes last: a folder without one is half made, holds nothing of anybody's, and is made again. */
import { existsSync, readdirSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { runGit, tryGit } from "../git/run-git.ts";
import { findRepository, type Repository } from "../repository/find-repository.ts";
import { withPlainGitDir } from "./plain-git-dir.ts";
import { registeredWorktrees } from "./registered-worktrees.ts";

export type NewWorktree = {
  repository: Pick<Repository, "commonDir" | "objectFormat">;
  /** Absolute; it must not exist. */
  path: string;
  /** What it starts from: a commit's id or name. */
  base: string;
  /** Made at `base` when it does not exist, and used as it is when it does; null: HEAD is detached. */
  branch: string | null;
  /** The files to write, a tree's id, when they are not those of the commit: they are then changes. */
  files?: string;
  signal?: AbortSignal;
};

/** A worktree that is already there, on that branch, is left as it is. `GIT_FAILED`; `USAGE` for an invalid name of a
 *  branch; `TARGET_EXISTS` when something else is in its place. */
export async function addWorktree(worktree: NewWorktree): Promise<Result<Repository, Failure>> {
  const { repository, path, base, branch } = worktree;
  const inRepository = { scope: { gitDir: repository.commonDir }, cwd: repository.commonDir };
  const standing = await standingAt(worktree);
  if (!standing.ok) return standing;
  if (standing.value !== null) return ok(standing.value);
  const commit = await commitNamed(base, repository);
  if (!commit.ok) return commit;
  if (branch !== null) {
    const made = await makeBranch(repository, { name: branch, at: commit.value });
    if (!made.ok) return made;
  }
  const from = branch === null ? ["--detach", path, commit.value] : [path, branch];
  const args = ["worktree", "add", "--quiet", "--no-checkout", ...from];
  const added = await runGit(args, inRepository);
  if (!added.ok) return added;
  const found = await ours(path);
  if (!found.ok) return found;
  const populated = await populate(found.value, worktree);
  return populated.ok ? found : populated;
}

/** The commit that a name means. */
export async function commitNamed(
  name: string,
  { commonDir }: Pick<Repository, "commonDir">,
): Promise<Result<string, Failure>> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const asked = await tryGit(args, { scope: { gitDir: commonDir }, cwd: commonDir });
  if (!asked.ok) return asked;
  if (asked.value.exitCode === 0) return ok(asked.value.stdout.trim());
  return err(
    failure(
      "GIT_FAILED",
      `${JSON.stringify(name)} names no commit in ${commonDir}`,
      "check the name with git log, and fetch if it is on a remote",
    ),
  );
}

/** Makes the branch unless it exists. `USAGE` for an invalid name. */
async function makeBranch(
  { commonDir }: Pick<Repository, "commonDir">,
  { name, at }: { name: string; at: string },
): Promise<Result<void, Failure>> {
  const options = { scope: { gitDir: commonDir }, cwd: commonDir };
  const checked = await tryGit(["check-ref-format", "--branch", name], options);
  if (!checked.ok) return checked;
  if (checked.value.exitCode !== 0 || checked.value.stdout.trim() !== name)
    return err(
      failure("USAGE", `${JSON.stringify(name)} is no name for a branch`, "choose another name"),
    );
  const ref = `refs/heads/${name}`;
  const exists = await tryGit(["show-ref", "--verify", "--quiet", ref], options);
  if (!exists.ok) return exists;
  if (exists.value.exitCode === 0) return ok(undefined);
  // An empty old value: it is made only if nobody else made it meanwhile.
  const made = await runGit(["update-ref", ref, at, ""], options);
  return made.ok ? ok(undefined) : made;
}

/** The worktree that is there already; null: the place is free. What is half made is removed. */
async function standingAt({
  repository,
  path,
  branch,
}: NewWorktree): Promise<Result<Repository | null, Failure>> {
  const registered = await registeredWorktrees(repository);
  if (!registered.ok) return registered;
  const same = registered.value.find((each) => each.path === path);
  if (same === undefined) return isTaken(path) ? err(taken(path)) : ok(null);
  const found = same.isMissing ? ok(null) : await findRepository(path);
  if (!found.ok) return found;
  if (found.value !== null && existsSync(join(found.value.gitDir, "index")))
    return same.branch === branch ? found : err(taken(path));
  if (!isHalfMade(path, found.value)) return err(taken(path));
  await rm(path, { recursive: true, force: true });
  const removed = await runGit(["worktree", "remove", "--force", "--force", path], {
    scope: { gitDir: repository.commonDir },
    cwd: repository.commonDir,
  });
  return removed.ok ? ok(null) : removed;
}

/** git takes an empty folder, and leaves one when it is killed early. */
function isTaken(path: string): boolean {
  return existsSync(path) && readdirSync(path).length > 0;
}

/** Without an index, and either without files or with those that we were writing. */
function isHalfMade(path: string, found: Repository | null): boolean {
  if (!existsSync(path) || readdirSync(path).every((name) => name === ".git")) return true;
  return found !== null && ["", ".lock"].some((end) => existsSync(ourIndex(found) + end));
}

/** Where the index is until all files are written. */
function ourIndex({ gitDir }: Repository): string {
  return join(gitDir, "index.uncaged");
}

async function ours(path: string): Promise<Result<Repository, Failure>> {
  const found = await findRepository(path);
  if (!found.ok) return found;
  return found.value === null
    ? err(failure("GIT_FAILED", `git made no worktree at ${path}`, "try again"))
    : ok(found.value);
}

async function populate(
  made: Repository,
  { base, branch, files, signal }: NewWorktree,
): Promise<Result<void, Failure>> {
  const head = await commitNamed(branch === null ? base : `refs/heads/${branch}`, made);
  if (!head.ok) return head;
  const index = ourIndex(made);
  await rm(index, { force: true });
  const place = { ...made, index, head: head.value };
  return withPlainGitDir(place, async (plain) => {
    const options = { ...plain, ...(signal === undefined ? {} : { signal }) };
    const written = await runGit(
      ["read-tree", "--reset", "-u", files ?? `${head.value}^{tree}`],
      options,
    );
    if (!written.ok) return written;
    if (files !== undefined) {
      // The files are in place; the index is that of the commit, so that git shows them as changes.
      const reset = await runGit(["read-tree", `${head.value}^{tree}`], options);
      if (!reset.ok) return reset;
      const refreshed = await tryGit(["update-index", "-q", "--refresh"], options);
      if (!refreshed.ok) return refreshed;
    }
    await rename(index, join(made.gitDir, "index"));
    return ok(undefined);
  });
}

function taken(path: string): Failure {
  return failure(
    "TARGET_EXISTS",
    `there is something else at ${path}`,
    "move it away, or remove it with git worktree remove if it is a worktree",
  );
}
