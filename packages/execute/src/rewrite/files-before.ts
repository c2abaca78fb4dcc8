/** The files of a step that is made again: they are put back to what they were before it.
 *
 *  1. Only if they are still what the step left, or somebody's work would be undone. A switch that was cut off goes on.
 *  2. Whatever is there is recorded with the thread's snapshots first, so that nothing is lost.
 *  3. Commits that the step made, and branches, stay. */
import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type StepWorkspace,
} from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import {
  changedFiles,
  findRepository,
  isSwitchingTo,
  recordSnapshot,
  switchTree,
  takeSnapshot,
} from "@uncaged/workflow-workspace";
import type { Engine } from "../storage/engine.ts";

type Ports = Pick<Engine, "root" | "now">;

export type FilesSwitch = {
  threadId: string;
  workTree: string;
  to: string;
  /** The tree that must be there; null: whatever is there. */
  from: string | null;
};

/** `FILES_CHANGED`; `GIT_FAILED`. True: the files were others. */
export async function switchFiles(
  { root, now }: Ports,
  { threadId, workTree, to, from }: FilesSwitch,
): Promise<Result<boolean, Failure>> {
  const found = await findRepository(workTree);
  if (!found.ok) return found;
  const repository = found.value;
  if (repository === null) return err(noWorkTree(workTree));
  const place = { repository, keep: storagePaths(root).workspaces, leaveOut: [root] };
  const taken = await takeSnapshot(place);
  if (!taken.ok) return taken;
  const { tree } = taken.value;
  if (tree === to) return ok(false);
  const goesOn = await isSwitchingTo({ ...place, to });
  if (!goesOn.ok) return goesOn;
  const gitDir = repository.commonDir;
  if (from !== null && tree !== from && !goesOn.value) {
    const changed = await changedFiles(gitDir, { before: from, after: tree });
    const paths = changed.ok ? changed.value.map(({ path }) => path) : [];
    return err(filesChanged(threadId, paths));
  }
  const message = `files before a step is made again`;
  const kept = await recordSnapshot({ gitDir, threadId, tree, message, atMs: now() });
  if (!kept.ok) return kept;
  const switched = await switchTree({ ...place, from: tree, to });
  return switched.ok ? ok(true) : switched;
}

/** What to put back for a step that is made again; null: nothing, because nothing is recorded, or others worked in the
 *  same folder at the same time. */
export function filesToPutBack(
  workspace: StepWorkspace | undefined,
  beside: readonly (StepWorkspace | undefined)[],
): Pick<StepWorkspace, "workTree" | "before" | "after"> | null {
  if (workspace === undefined || workspace.before === workspace.after) return null;
  return beside.some((each) => each?.workTree === workspace.workTree) ? null : workspace;
}

function filesChanged(threadId: string, paths: readonly string[]): Failure {
  const shown = paths.slice(0, 5).map((path) => JSON.stringify(path));
  const more = paths.length > shown.length ? ` and ${paths.length - shown.length} more` : "";
  return failure(
    "FILES_CHANGED",
    `the files are not what the last step of thread ${threadId} left: ${shown.join(", ")}${more}`,
    "keep them as they are with --keep-files, or undo these changes first",
  );
}

function noWorkTree(workTree: string): Failure {
  return failure(
    "GIT_FAILED",
    `git finds no work tree at ${workTree}`,
    "put it back, or go on without: --keep-files",
  );
}
