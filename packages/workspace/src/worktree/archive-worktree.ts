import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { runGit } from "../git/run-git.ts";
import { headOf, type Repository } from "../repository/find-repository.ts";
import { withPlainGitDir } from "./plain-git-dir.ts";

/** Keeps what is in a worktree, untracked files included and ignored ones not, as a commit on top of its HEAD that a
 *  ref names. Nothing in the worktree changes. Returns the tree. */
export async function archiveWorktree(
  worktree: Repository,
  { ref, identity }: { ref: string; identity: Readonly<Record<string, string>> },
): Promise<Result<string, Failure>> {
  const head = await headOf(worktree);
  if (!head.ok) return head;
  const tree = await filesAsTree(worktree);
  if (!tree.ok) return tree;
  const inRepository = { scope: { gitDir: worktree.commonDir }, cwd: worktree.commonDir };
  const parents = head.value === null ? [] : ["-p", head.value];
  const args = ["commit-tree", tree.value, ...parents, "-m", `Files of ${worktree.workTree}`];
  const commit = await runGit(args, { ...inRepository, env: identity });
  if (!commit.ok) return commit;
  const kept = await runGit(["update-ref", ref, commit.value.trim()], inRepository);
  return kept.ok ? tree : kept;
}

/** The files of a worktree as a tree, by an index that is thrown away. */
export function filesAsTree({
  workTree,
  commonDir,
  objectFormat,
}: Repository): Promise<Result<string, Failure>> {
  const place = { commonDir, objectFormat, workTree, index: null, head: null };
  return withPlainGitDir(place, async (plain) => {
    const added = await runGit(["add", "--all", "--", "."], plain);
    if (!added.ok) return added;
    const tree = await runGit(["write-tree"], plain);
    return tree.ok ? ok(tree.value.trim()) : tree;
  });
}
