import { mkdir, readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { randomTag } from "@uncaged/workflow-util";
import { runGit } from "../git/run-git.ts";
import type { Repository } from "../repository/find-repository.ts";
import { openOwnGit } from "./own-git.ts";

/** Writes the files of a tree into a folder that is empty or not there yet. No filter, hook or driver runs. Submodules
 *  become empty folders. An error: `TARGET_EXISTS`, `GIT_FAILED`. */
export async function restoreTree(request: {
  repository: Repository;
  keep: string;
  tree: string;
  folder: string;
}): Promise<Result<null, Failure>> {
  const { repository, keep, tree, folder } = request;
  const own = await openOwnGit(repository, { keep, leaveOut: [] });
  if (!own.ok) return own;
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) return err(notEmpty(folder));
  const workTree = await realpath(folder);
  const index = join(own.value.scope.gitDir, `restore.${randomTag(8)}`);
  const options = { scope: { ...own.value.scope, workTree, index }, cwd: workTree };
  try {
    // Not sparse: all files are written.
    const config = ["core.sparseCheckout=false"];
    const read = await runGit(["read-tree", tree], { ...options, config });
    if (!read.ok) return read;
    const written = await runGit(["checkout-index", "--all", "--quiet"], { ...options, config });
    if (written.ok) return ok(null);
    // A part of the files, for example because the disk is full: the folder was empty.
    for (const name of await readdir(workTree))
      await rm(join(workTree, name), { recursive: true, force: true });
    return written;
  } finally {
    for (const left of [index, `${index}.lock`]) await rm(left, { force: true });
  }
}

function notEmpty(folder: string): Failure {
  return failure(
    "TARGET_EXISTS",
    `${folder} is not empty`,
    "name a folder that does not exist yet, or an empty one",
  );
}
