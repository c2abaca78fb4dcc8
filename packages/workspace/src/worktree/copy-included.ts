/** Copies the ignored files that `.worktreeinclude` names, such as `.env`, into a new worktree. */
import { constants, existsSync } from "node:fs";
import { lstat, mkdir, open, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { runGit, tryGit } from "../git/run-git.ts";
import type { Repository } from "../repository/find-repository.ts";
import { withPlainGitDir } from "./plain-git-dir.ts";

/** Copies from one work tree of a repository to another; returns the paths. Only regular files that are ignored and
 *  match a pattern of `.worktreeinclude` (in the syntax of `.gitignore`); never through a symbolic link, and never over
 *  a file that is there. */
export async function copyIncluded(
  from: Repository,
  to: Pick<Repository, "workTree">,
): Promise<Result<string[], Failure>> {
  const patterns = join(from.workTree, ".worktreeinclude");
  if (!existsSync(patterns) || !(await lstat(patterns)).isFile()) return ok([]);
  const chosen = await chosenIn(from, patterns);
  if (!chosen.ok) return chosen;
  const copied: string[] = [];
  for (const path of chosen.value)
    if (await copyPlainFile(path, from.workTree, to.workTree)) copied.push(path);
  return ok(copied);
}

function chosenIn(
  { workTree, gitDir, commonDir, objectFormat }: Repository,
  patterns: string,
): Promise<Result<string[], Failure>> {
  const index = join(gitDir, "index");
  const place = { commonDir, objectFormat, workTree, index, head: null };
  return withPlainGitDir(place, async (plain) => {
    const others = ["ls-files", "-z", "--others", "--ignored", `--exclude-from=${patterns}`];
    const named = await runGit(others, plain);
    if (!named.ok || named.value === "") return named.ok ? ok([]) : named;
    const ignored = await tryGit(["check-ignore", "-z", "--stdin"], {
      ...plain,
      input: named.value,
    });
    if (!ignored.ok) return ignored;
    return ok(ignored.value.stdout.split("\0").filter(Boolean));
  });
}

/** False: it is no regular file, is reached through a symbolic link, or exists there. */
async function copyPlainFile(path: string, from: string, to: string): Promise<boolean> {
  const [source, target] = [join(from, path), join(to, path)];
  if ((await realpath(dirname(source))) !== dirname(source)) return false;
  const known = await lstat(source).catch(() => null);
  if (known === null || !known.isFile() || existsSync(target)) return false;
  // The nearest folder that exists must be reached without a link before any is made in it.
  let parent = dirname(target);
  while (!existsSync(parent)) parent = dirname(parent);
  if ((await realpath(parent)) !== parent) return false;
  await mkdir(dirname(target), { recursive: true });
  const reader = await open(source, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const writer = await open(target, "wx", known.mode & 0o777);
    try {
      await writer.writeFile(await reader.readFile());
    } finally {
      await writer.close();
    }
  } finally {
    await reader.close();
  }
  return true;
}
