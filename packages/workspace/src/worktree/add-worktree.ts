/** Makes a git worktree: a folder of its own for somebody who works beside others.
 *
 *  1. The files are written by a git dir of our own (`plain-git-dir`), so no filter of the repository runs.
 *  2. The index comes last: a folder without one is half made, holds nothing of anybody's, and is made again.
 *  3. Starting git costs as much as writing hundreds of files: what one call answers is not asked again. */
import { existsSync, readdirSync } from "node:fs";
import { readFile, realpath, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
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
  const { repository, path, branch } = worktree;
  const isSeen = existsSync(path);
  const standing = isSeen ? await standingAt(worktree) : ok(null);
  if (!standing.ok) return standing;
  if (standing.value !== null) return ok(standing.value);
  const start = await startOf(worktree);
  if (!start.ok) return start;
  if (branch !== null && start.value.isNew) {
    const made = await makeBranch(repository, { name: branch, at: start.value.commit });
    if (!made.ok) return made;
  }
  const from = branch === null ? ["--detach", path, start.value.commit] : [path, branch];
  const args = ["worktree", "add", "--quiet", "--no-checkout", ...from];
  const added = await runGit(args, inside(repository));
  if (!added.ok && isSeen) return added;
  if (!added.ok) {
    // git may still know a worktree whose folder is gone.
    const cleared = await standingAt(worktree);
    const again = cleared.ok ? await runGit(args, inside(repository)) : cleared;
    if (!again.ok) return again;
  }
  const made = await madeAt(path, repository);
  if (!made.ok) return made;
  const populated = await populate(made.value, { ...worktree, start: start.value });
  return populated.ok ? made : populated;
}

const inside = ({ commonDir }: Pick<Repository, "commonDir">) => ({
  scope: { gitDir: commonDir },
  cwd: commonDir,
});

/** Where a worktree starts. */
type Start = {
  /** What its HEAD will be. */
  commit: string;
  /** Of the commit. */
  tree: string;
  /** The branch does not exist yet, or there is to be none. */
  isNew: boolean;
};

async function startOf({ repository, base, branch }: NewWorktree): Promise<Result<Start, Failure>> {
  const ofBranch = branch === null ? [] : [`refs/heads/${branch}`];
  const names = [base, ...ofBranch].flatMap((name) => [`${name}^{commit}`, `${name}^{tree}`]);
  // Each name is a line.
  const isLine = !names.some((name) => name.includes("\n"));
  const asked = isLine
    ? await runGit(["cat-file", "--batch-check=%(objectname)"], {
        ...inside(repository),
        input: names.map((name) => `${name}\n`).join(""),
      })
    : ok("");
  if (!asked.ok) return asked;
  const ids = asked.value.split("\n").map((line) => (ID.test(line) ? line : undefined));
  const [commit, tree, branchCommit, branchTree] = ids;
  if (commit === undefined || tree === undefined) return err(noCommit(base, repository));
  return branchCommit === undefined || branchTree === undefined
    ? ok({ commit, tree, isNew: true })
    : ok({ commit: branchCommit, tree: branchTree, isNew: false });
}

/** Of what is missing git says so instead. */
const ID = /^[\da-f]{40,64}$/;

/** The commit that a name means. */
export function commitNamed(
  name: string,
  repository: Pick<Repository, "commonDir">,
): Promise<Result<string, Failure>> {
  return objectNamed(name, "commit", repository);
}

/** The tree of the commit that a name means. */
export function treeNamed(
  name: string,
  repository: Pick<Repository, "commonDir">,
): Promise<Result<string, Failure>> {
  return objectNamed(name, "tree", repository);
}

async function objectNamed(
  name: string,
  kind: "commit" | "tree",
  repository: Pick<Repository, "commonDir">,
): Promise<Result<string, Failure>> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{${kind}}`];
  const asked = await tryGit(args, inside(repository));
  if (!asked.ok) return asked;
  return asked.value.exitCode === 0
    ? ok(asked.value.stdout.trim())
    : err(noCommit(name, repository));
}

function noCommit(name: string, { commonDir }: Pick<Repository, "commonDir">): Failure {
  return failure(
    "GIT_FAILED",
    `${JSON.stringify(name)} names no commit in ${commonDir}`,
    "check the name with git log, and fetch if it is on a remote",
  );
}

/** Makes a branch. One that somebody else made meanwhile is an error. `USAGE` for an invalid name. */
async function makeBranch(
  repository: Pick<Repository, "commonDir">,
  { name, at }: { name: string; at: string },
): Promise<Result<void, Failure>> {
  if (!PLAIN_NAME.test(name)) {
    const checked = await tryGit(["check-ref-format", "--branch", name], inside(repository));
    if (!checked.ok) return checked;
    if (checked.value.exitCode !== 0 || checked.value.stdout.trim() !== name)
      return err(
        failure("USAGE", `${JSON.stringify(name)} is no name for a branch`, "choose another name"),
      );
  }
  // An empty old value: it is made only if nobody else made it meanwhile.
  const made = await runGit(["update-ref", `refs/heads/${name}`, at, ""], inside(repository));
  return made.ok ? ok(undefined) : made;
}

/** Certainly a name for a branch; about others git is asked. */
const PLAIN_NAME = /^[a-z][\w-]*\/[\w-]+$/i;

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
  const args = ["worktree", "remove", "--force", "--force", path];
  const removed = await runGit(args, inside(repository));
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

/** What git has just made: a file `.git` that says where the worktree's own part is. */
async function madeAt(
  path: string,
  { commonDir, objectFormat }: NewWorktree["repository"],
): Promise<Result<Repository, Failure>> {
  const text = await readFile(join(path, ".git"), "utf8").catch(() => "");
  const [, gitDir] = /^gitdir: (.+)\n$/.exec(text) ?? [];
  if (gitDir === undefined)
    return err(failure("GIT_FAILED", `git made no worktree at ${path}`, "try again"));
  const workTree = await realpath(path);
  return ok({
    workTree,
    gitDir: await realpath(resolve(workTree, gitDir)),
    commonDir: await realpath(commonDir),
    objectFormat,
  });
}

async function populate(
  made: Repository,
  { start, branch, files, signal }: NewWorktree & { start: Start },
): Promise<Result<void, Failure>> {
  // A branch that was there may have moved meanwhile.
  const head = start.isNew ? ok(start.commit) : await commitNamed(`refs/heads/${branch}`, made);
  if (!head.ok) return head;
  const tree = head.value === start.commit ? start.tree : `${head.value}^{tree}`;
  const index = ourIndex(made);
  await rm(index, { force: true });
  const place = { ...made, index, head: head.value };
  return withPlainGitDir(place, async (plain) => {
    const options = { ...plain, ...(signal === undefined ? {} : { signal }) };
    const written = await runGit(["read-tree", "--reset", "-u", files ?? tree], options);
    if (!written.ok) return written;
    if (files !== undefined && files !== tree) {
      // The files are in place; the index is that of the commit, so that git shows them as changes. With `-m` it keeps
      // what it knows of files that are the same, which then need not be read again.
      const reset = await runGit(["read-tree", "-m", tree], options);
      if (!reset.ok) return reset;
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
