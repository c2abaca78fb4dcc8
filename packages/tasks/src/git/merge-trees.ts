/** Merges commits without any files: trees are merged in the repository's objects, by a git dir of our own. No checkout
 *  of anybody's is touched, and no hook, filter or driver runs. */
import { err, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import {
  gitFailed,
  type PlainOptions,
  runGit,
  tryGit,
  withPlainGitDir,
} from "@uncaged/workflow-workspace";
import type { TaskPlace } from "./task-place.ts";

export type Merged =
  | { kind: "merged"; commit: string; tree: string }
  | { kind: "conflict"; files: string[] };

/** A commit that is not on any branch yet: the files of both, and both as parents. */
export function mergeCommits(
  place: TaskPlace,
  { ours, theirs, message }: { ours: string; theirs: string; message: string },
): Promise<Result<Merged, Failure>> {
  return inObjects(place, async (plain) => {
    const args = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs];
    const run = await tryGit(args, plain);
    if (!run.ok) return run;
    const { exitCode, stdout, stderr } = run.value;
    if (exitCode > 1) return err(gitFailed(args, stderr));
    const [tree = "", ...files] = stdout.split("\0").filter(Boolean);
    if (exitCode === 1) return ok({ kind: "conflict", files });
    const commit = await commitTree(plain, { tree, parents: [ours, theirs], message });
    return commit.ok ? ok({ kind: "merged", commit: commit.value, tree }) : commit;
  });
}

/** One commit with several parents. */
export function joinCommits(
  place: TaskPlace,
  commit: { tree: string; parents: readonly string[]; message: string },
): Promise<Result<string, Failure>> {
  return inObjects(place, (plain) => commitTree(plain, commit));
}

export async function treeOf(
  { local }: TaskPlace,
  commit: string,
): Promise<Result<string, Failure>> {
  const tree = await runGit(["rev-parse", "--verify", `${commit}^{tree}`], local);
  return tree.ok ? ok(tree.value.trim()) : tree;
}

function inObjects<T>(
  { repository: { commonDir, objectFormat }, identity }: TaskPlace,
  use: (plain: PlainOptions & { env: TaskPlace["identity"] }) => Promise<T>,
): Promise<T> {
  const place = { commonDir, objectFormat, workTree: null, index: null, head: null };
  return withPlainGitDir(place, (plain) => use({ ...plain, env: identity }));
}

async function commitTree(
  plain: PlainOptions & { env: TaskPlace["identity"] },
  { tree, parents, message }: { tree: string; parents: readonly string[]; message: string },
): Promise<Result<string, Failure>> {
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])];
  const made = await runGit(args, { ...plain, input: message });
  return made.ok ? ok(made.value.trim()) : made;
}
