import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { runGit } from "../git/run-git.ts";
import { headOf, type Repository } from "../repository/find-repository.ts";
import { withPlainGitDir } from "./plain-git-dir.ts";

/** What would be lost with a worktree. */
export type Unsaved = {
  /** Paths that differ from the last commit, untracked ones included, ignored ones not. */
  changes: string[];
  /** Commits that no branch, tag or other ref has. */
  hasCommits: boolean;
  /** A rebase, merge, cherry-pick, revert or bisection has begun and not ended; null: none. */
  underway: string | null;
  /** It has repositories of submodules of its own. */
  hasSubmodules: boolean;
};

export function isSaved({ changes, hasCommits, underway, hasSubmodules }: Unsaved): boolean {
  return changes.length === 0 && !hasCommits && underway === null && !hasSubmodules;
}

/** Looks at the files without running any filter of the repository. */
export async function unsavedIn(worktree: Repository): Promise<Result<Unsaved, Failure>> {
  const head = await headOf(worktree);
  if (!head.ok) return head;
  const changes = await changesIn(worktree, head.value);
  if (!changes.ok) return changes;
  const hasCommits =
    head.value === null ? ok(false) : await isOnNoRef(head.value, worktree.commonDir);
  if (!hasCommits.ok) return hasCommits;
  return ok({
    changes: changes.value,
    hasCommits: hasCommits.value,
    underway: underwayIn(worktree),
    hasSubmodules: existsSync(join(worktree.gitDir, "modules")),
  });
}

/** Paths that differ from HEAD. */
function changesIn(
  { workTree, gitDir, commonDir, objectFormat }: Repository,
  head: string | null,
): Promise<Result<string[], Failure>> {
  const index = join(gitDir, "index");
  return withPlainGitDir({ commonDir, objectFormat, workTree, index, head }, async (plain) => {
    const args = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"];
    const status = await runGit([...args, "--ignore-submodules=dirty"], plain);
    if (!status.ok) return status;
    return ok(status.value.split("\0").flatMap((line) => (line === "" ? [] : [line.slice(3)])));
  });
}

/** What git has begun in a worktree and not ended; null: nothing. */
export function underwayIn({ gitDir }: Pick<Repository, "gitDir">): string | null {
  const found = Object.entries(MARKS).find(([mark]) => existsSync(join(gitDir, mark)));
  return found?.[1] ?? null;
}

const MARKS = {
  "rebase-merge": "rebase",
  "rebase-apply": "rebase",
  MERGE_HEAD: "merge",
  CHERRY_PICK_HEAD: "cherry-pick",
  REVERT_HEAD: "revert",
  BISECT_LOG: "bisection",
};

async function isOnNoRef(commit: string, commonDir: string): Promise<Result<boolean, Failure>> {
  const refs = await runGit(["for-each-ref", "--count=1", `--contains=${commit}`], {
    scope: { gitDir: commonDir },
    cwd: commonDir,
  });
  return refs.ok ? ok(refs.value === "") : refs;
}
