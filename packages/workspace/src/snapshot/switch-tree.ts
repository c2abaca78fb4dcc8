/** Gives a work tree the files of another tree: those in which the two differ are written or deleted, nothing else is
 *  touched. The user's index, HEAD and branches stay as they are.
 *
 *  1. No filter, hook or driver runs (`own-git`), and no file is overwritten that no snapshot has.
 *  2. A mark says that a switch has begun: one that was cut off is finished by the next one, although the files are by
 *     then neither of the two trees. */
import { link, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { randomTag, readRegularFile, writeFileAtomic } from "@uncaged/workflow-util";
import { runGit } from "../git/run-git.ts";
import type { Repository } from "../repository/find-repository.ts";
import { openOwnGit } from "./own-git.ts";

export type TreeSwitch = {
  repository: Repository;
  keep: string;
  leaveOut: readonly string[];
  /** As the snapshot says that was taken last. */
  from: string;
  to: string;
};

const MAX_BYTES = 256;

/** Whether a switch to this tree was cut off. */
export async function isSwitchingTo({
  repository,
  keep,
  leaveOut,
  to,
}: Omit<TreeSwitch, "from">): Promise<Result<boolean, Failure>> {
  const own = await openOwnGit(repository, { keep, leaveOut });
  if (!own.ok) return own;
  const mark = await readRegularFile(markIn(own.value.scope.gitDir), MAX_BYTES);
  return ok(mark.ok && mark.value.toString() === to);
}

/** `GIT_FAILED`: a file that is ignored would be overwritten, or cannot be written. Doing it again goes on. */
export async function switchTree({
  repository,
  keep,
  leaveOut,
  from,
  to,
}: TreeSwitch): Promise<Result<null, Failure>> {
  const own = await openOwnGit(repository, { keep, leaveOut });
  if (!own.ok) return own;
  const { scope, keptIndex } = own.value;
  const mark = markIn(scope.gitDir);
  await writeFileAtomic({ path: mark, data: Buffer.from(to), mode: 0o600, existing: "replace" });
  const index = `${keptIndex}.${randomTag(8)}`;
  try {
    // What the last snapshot knows of the files: git writes only where the trees differ.
    await link(keptIndex, index);
    const options = { scope: { ...scope, index }, cwd: scope.workTree };
    const switched = await runGit(["read-tree", "-m", "-u", from, to], options);
    if (!switched.ok) return switched;
    await rename(index, keptIndex);
    // After the files: until then the switch counts as cut off.
    await rm(mark, { force: true });
    return ok(null);
  } finally {
    for (const left of [index, `${index}.lock`]) await rm(left, { force: true });
  }
}

const markIn = (gitDir: string): string => join(gitDir, "switching");
