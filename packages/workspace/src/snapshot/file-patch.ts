import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { runGit } from "../git/run-git.ts";

/** Larger files are not compared line by line. */
const MOST_OF_A_FILE = "4m";
const MAX_BYTES = 64 * 1024 * 1024;

/** How a file differs in two trees, as git's unified text; null: it is not text, or larger than 4 MiB. Empty: it does not
 *  differ, or there is no such path. */
export async function filePatch(
  gitDir: string,
  { before, after, path }: { before: string; after: string; path: string },
): Promise<Result<string | null, Failure>> {
  // No program that a repository names for its files runs.
  const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"];
  const args = ["--literal-pathspecs", "diff-tree", "-r", "-p", ...plain, before, after];
  const run = await runGit([...args, "--", path], {
    scope: { gitDir },
    cwd: gitDir,
    config: [`core.bigFileThreshold=${MOST_OF_A_FILE}`],
    maxBytes: MAX_BYTES,
  });
  if (!run.ok) return run;
  return ok(/^Binary files .* differ$/m.test(headOf(run.value)) ? null : run.value);
}

/** Before the first line of the file itself, which may say anything. */
function headOf(patch: string): string {
  const at = patch.indexOf("\n@@ ");
  return at < 0 ? patch : patch.slice(0, at);
}
