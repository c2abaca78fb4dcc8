/** Rebases the branch of a worktree, in the worktree, so that its agent can go on with a conflict there.
 *
 *  git reads and writes files here with the repository's own git dir, so every filter and merge driver that its
 *  configuration defines is replaced: filters by none, drivers by git's own merge of texts. */
import { err, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import {
  type GitOptions,
  gitFailed,
  type Repository,
  runGit,
  tryGit,
  underwayIn,
} from "@uncaged/workflow-workspace";
import type { TaskPlace } from "./task-place.ts";

/** `conflict`: the rebase is left in progress. */
export type Rebased = { kind: "done" } | { kind: "conflict"; files: string[] };

/** Begins a rebase onto a commit, or goes on with the one in progress. */
export async function rebaseBranch(
  place: TaskPlace,
  worktree: Repository,
  onto: string,
): Promise<Result<Rebased, Failure>> {
  const options = await harmless(place, worktree);
  if (!options.ok) return options;
  const isUnderway = underwayIn(worktree) === "rebase";
  if (isUnderway) {
    const files = await unmerged(options.value);
    if (!files.ok) return files;
    if (files.value.length > 0) return ok({ kind: "conflict", files: files.value });
  }
  const args = isUnderway ? ["rebase", "--continue"] : [...REBASE, onto];
  const run = await tryGit(args, options.value);
  if (!run.ok) return run;
  if (run.value.exitCode === 0) return ok({ kind: "done" });
  if (underwayIn(worktree) !== "rebase") return err(gitFailed(args, run.value.stderr));
  const files = await unmerged(options.value);
  if (!files.ok) return files;
  return files.value.length === 0
    ? err(gitFailed(args, run.value.stderr || run.value.stdout))
    : ok({ kind: "conflict", files: files.value });
}

const REBASE = ["rebase", "--quiet", "--merge", "--no-stat", "--no-autostash", "--no-fork-point"];

async function harmless(
  { local, identity }: TaskPlace,
  { gitDir, workTree }: Repository,
): Promise<Result<GitOptions, Failure>> {
  const listed = await tryGit(
    ["config", "--name-only", "-z", "--get-regexp", "^(filter|merge)\\..*\\."],
    local,
  );
  if (!listed.ok) return listed;
  const names = listed.value.stdout.split("\0").filter(Boolean);
  const sections = new Set(names.map((name) => name.slice(0, name.lastIndexOf("."))));
  const config = [...sections].flatMap((section) =>
    section.startsWith("filter.")
      ? [
          ...["clean", "smudge", "process"].map((key) => `${section}.${key}=`),
          `${section}.required=false`,
        ]
      : [`${section}.driver=git merge-file --marker-size=%L %A %O %B`],
  );
  return ok({
    scope: { gitDir, workTree },
    cwd: workTree,
    config: [...config, "rebase.autoSquash=false", "rebase.updateRefs=false"],
    env: identity,
  });
}

async function unmerged(options: GitOptions): Promise<Result<string[], Failure>> {
  const listed = await runGit(["ls-files", "--unmerged", "-z"], options);
  if (!listed.ok) return listed;
  const paths = listed.value.split("\0").flatMap((line) => line.split("\t").slice(1));
  return ok([...new Set(paths)]);
}
