/** The state of a work tree as a git tree.
 *
 *  1. Nothing of the user's is written but objects: not the index, no reference, no file. A process that is killed here
 *     leaves objects that nothing names, and a file of our own.
 *  2. Nothing of the repository runs (`own-git`).
 *  3. In the tree: tracked files and those that are neither tracked nor ignored, as they lie on disk, but for line
 *     endings. No filter runs: what a filter such as git-lfs made of a file is recorded as it is. Submodules and nested
 *     repositories by their commit; what a sparse checkout leaves out, as the user's index has it.
 *  4. Not in the tree: what git cannot hold (pipes, sockets, empty folders) and what cannot be read, which is named. */
import { link, rename, rm } from "node:fs/promises";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { isErrno, randomTag } from "@uncaged/workflow-util";
import { runGit } from "../git/run-git.ts";
import type { Repository } from "../repository/find-repository.ts";
import { alignTracked } from "./align-tracked.ts";
import { type AlignedWith, alignedWith } from "./aligned-with.ts";
import { DURABLE } from "./durable.ts";
import { type OwnGit, openOwnGit } from "./own-git.ts";
import { changedNames, type SnapshotIndex, stageNames } from "./stage-changes.ts";

export type SnapshotRequest = {
  repository: Repository;
  /** Folder of ours where an index per work tree is kept between snapshots. */
  keep: string;
  /** Absolute paths that do not belong to the work tree, such as the storage root when it lies inside. */
  leaveOut?: readonly string[];
  signal?: AbortSignal;
};

export type Snapshot = {
  /** Id of the tree. Its objects are in the repository, and nothing names them yet. */
  tree: string;
  /** Paths of files that could not be read and are not in the tree. */
  skipped: string[];
};

/** An error (`GIT_FAILED`): git failed. Throws `STORAGE_FAILED` when `keep` cannot be written. */
export async function takeSnapshot(request: SnapshotRequest): Promise<Result<Snapshot, Failure>> {
  const { repository, keep, leaveOut = [] } = request;
  const own = await openOwnGit(repository, { keep, leaveOut });
  if (!own.ok) return own;
  const taken = await snapshotFrom(own.value, request, { anew: false });
  // The kept index may name objects that `git gc` has taken since, or be damaged.
  return taken.ok || request.signal?.aborted === true
    ? taken
    : snapshotFrom(own.value, request, { anew: true });
}

async function snapshotFrom(
  own: OwnGit,
  { repository, signal }: SnapshotRequest,
  { anew }: { anew: boolean },
): Promise<Result<Snapshot, Failure>> {
  const path = `${own.keptIndex}.${randomTag(8)}`;
  const index: SnapshotIndex = {
    scope: { ...own.scope, index: path },
    ...(signal === undefined ? {} : { signal }),
  };
  try {
    // Before anything is read: what changes meanwhile is looked at again by the next snapshot. And before the index is
    // taken: what is kept never runs ahead of it.
    const seen = await alignedWith(own, repository);
    const last = await seen.last();
    const isKept = !anew && last !== "other rules" && (await linked(own.keptIndex, path));
    const names = await changedNames(index);
    if (!names.ok) return names;
    const staged = await stageNames(index, names.value);
    if (!staged.ok) return staged;
    const skipped = staged.value;
    const isAligned = isKept && last === "same" && !names.value.some(saysWhatIsTracked);
    if (!isAligned) {
      const aligned = await alignTracked(index, own, repository);
      if (!aligned.ok) return aligned;
      skipped.push(...aligned.value);
    }
    const tree = await writeTree(index, own);
    if (!tree.ok) return tree;
    await keepIndex(path, own, isAligned ? null : seen);
    return ok({ tree: tree.value, skipped: [...new Set(skipped)].map(readable) });
  } finally {
    for (const left of [path, `${path}.lock`]) await rm(left, { force: true });
  }
}

/** A second name for the kept index: git replaces what it writes, so the kept one stays as it is, with its time, by
 *  which git knows whether a file can have changed after it was looked at. */
async function linked(kept: string, path: string): Promise<boolean> {
  try {
    await link(kept, path);
    return true;
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return false;
    throw cause;
  }
}

/** Of two snapshots at once the later one stays. Each index is whole. `aligned`: what it was aligned with, when it was;
 *  a crash before that is kept has the next snapshot align it again. */
async function keepIndex(path: string, own: OwnGit, aligned: AlignedWith | null): Promise<void> {
  await aligned?.forget();
  try {
    await rename(path, own.keptIndex);
  } catch (cause) {
    // Without files there is no index.
    if (!isErrno(cause, "ENOENT")) throw cause;
  }
  await aligned?.keep();
}

async function writeTree(index: SnapshotIndex, own: OwnGit): Promise<Result<string, Failure>> {
  // What a sparse checkout leaves out may not have been fetched.
  const missing = own.isSparse ? ["--missing-ok"] : [];
  const written = await runGit(["write-tree", ...missing], {
    ...index,
    cwd: own.scope.workTree,
    config: DURABLE,
  });
  return written.ok ? ok(written.value.trim()) : written;
}

const saysWhatIsTracked = (name: string): boolean => /(?:^|\/)\.git(?:ignore|modules)$/.test(name);

const readable = (name: string): string => Buffer.from(name, "latin1").toString("utf8");
