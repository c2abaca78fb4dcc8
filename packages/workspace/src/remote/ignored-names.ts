import { join } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { runGit } from "../git/run-git.ts";
import type { Repository } from "../repository/find-repository.ts";
import { withPlainGitDir } from "../worktree/plain-git-dir.ts";

const MOST = 50;

/** First parts of the paths in a work tree that git ignores, in order, at most 50. */
export function ignoredNames({
  workTree,
  gitDir,
  commonDir,
  objectFormat,
}: Repository): Promise<Result<string[], Failure>> {
  const index = join(gitDir, "index");
  const place = { commonDir, objectFormat, workTree, index, head: null };
  return withPlainGitDir(place, async (plain) => {
    const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
    const listed = await runGit(args, plain);
    if (!listed.ok) return listed;
    const names = listed.value.split("\0").flatMap((path) => path.split("/", 1).filter(Boolean));
    return ok([...new Set(names)].sort().slice(0, MOST));
  });
}
