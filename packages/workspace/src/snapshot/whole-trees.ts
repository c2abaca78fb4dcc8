import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { type GitRun, tryGit } from "../git/run-git.ts";

export type BrokenTree = { tree: string; reason: string };

/** Trees of which something is missing or damaged: every object below them is read, and its bytes are checked against
 *  its name. Commits of submodules are not the repository's. */
export async function brokenTrees(
  gitDir: string,
  trees: readonly string[],
): Promise<Result<BrokenTree[], Failure>> {
  const all = await walk(gitDir, trees);
  if (!all.ok) return all;
  if (reasonIn(all.value) === null) return ok([]);
  const broken: BrokenTree[] = [];
  for (const tree of new Set(trees)) {
    const one = await walk(gitDir, [tree]);
    if (!one.ok) return one;
    const reason = reasonIn(one.value);
    if (reason !== null) broken.push({ tree, reason });
  }
  return ok(broken);
}

/** A file whose bytes are not those of its name is said on stderr and changes no exit code. */
function reasonIn({ exitCode, stderr }: GitRun): string | null {
  const said = stderr.split("\n").find((line) => /^(?:error|fatal): /.test(line));
  return said ?? (exitCode === 0 ? null : `git exited with ${exitCode}`);
}

function walk(gitDir: string, trees: readonly string[]): Promise<Result<GitRun, Failure>> {
  return tryGit(["rev-list", "--objects", "--verify-objects", "--quiet", "--stdin"], {
    scope: { gitDir },
    cwd: gitDir,
    input: trees.map((tree) => `${tree}\n`).join(""),
  });
}
