/** A git dir of our own, with a configuration of our own, over the objects of a repository.
 *
 *  1. What reads or writes files through it runs no filter or merge driver: the repository's configuration, which
 *     an agent can write, is not read, so `.gitattributes` name drivers that nobody has defined. Files are written
 *     as they are stored; of LFS files that is the pointer.
 *  2. It has no refs. Commits are given by id. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GitOptions } from "../git/run-git.ts";
import type { Repository } from "../repository/find-repository.ts";

/** Where a plain command works, and what it is told of the repository's excludes. */
export type PlainOptions = Pick<GitOptions, "scope" | "cwd" | "config"> & { gitDir: string };

type Files = Pick<Repository, "commonDir" | "objectFormat"> & {
  /** Root of the files; null: the command touches none. */
  workTree: string | null;
  /** Index file; null: one that is thrown away. */
  index: string | null;
  /** What HEAD is, a commit id; null: an unborn branch. */
  head: string | null;
};

/** Lends a git dir for as long as `use` runs. */
export async function withPlainGitDir<T>(
  { commonDir, objectFormat, workTree, index, head }: Files,
  use: (options: PlainOptions) => Promise<T>,
): Promise<T> {
  const gitDir = await mkdtemp(join(tmpdir(), "uwf-git-"));
  try {
    await mkdir(join(gitDir, "refs"));
    await mkdir(join(gitDir, "objects"));
    await writeFile(join(gitDir, "HEAD"), head === null ? "ref: refs/heads/none\n" : `${head}\n`);
    await writeFile(join(gitDir, "config"), configOf(objectFormat));
    return await use({
      gitDir,
      scope: {
        gitDir,
        index: index ?? join(gitDir, "index"),
        objects: join(commonDir, "objects"),
        ...(workTree === null ? {} : { workTree }),
      },
      cwd: workTree ?? gitDir,
      config: [`core.excludesFile=${join(commonDir, "info", "exclude")}`],
    });
  } finally {
    await rm(gitDir, { recursive: true, force: true });
  }
}

function configOf(objectFormat: Repository["objectFormat"]): string {
  const format = objectFormat === "sha256" ? "[extensions]\n\tobjectFormat = sha256\n" : "";
  return `[core]\n\trepositoryFormatVersion = 1\n\tbare = false\n\tlogAllRefUpdates = false\n${format}`;
}
