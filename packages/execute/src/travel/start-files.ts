/** The files that a thread begins with, in a root that machines share: recorded and pushed before the thread exists, so
 *  that whichever machine is first to run it has them. */
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { relative } from "node:path";
import { type StartFiles, unwrap } from "@uncaged/workflow-protocol";
import { readSettings } from "@uncaged/workflow-register";
import { isShared, storagePaths } from "@uncaged/workflow-util";
import {
  dropRemoteSnapshots,
  dropSnapshots,
  findRepository,
  headOf,
  mayBeInRepository,
  type Repository,
  recordSnapshot,
  takeSnapshot,
  treeNamed,
} from "@uncaged/workflow-workspace";
import type { Engine } from "../storage/engine.ts";
import type { PlannedWorktree } from "../worktrees/plan-worktree.ts";
import { thisMachine } from "./machine.ts";
import { saveFiles } from "./save-files.ts";

type Ports = Pick<Engine, "root" | "now">;

/** null: the root is in its folder, snapshots are off, or the folder is in no repository. Throws `GIT_FAILED`; a push
 *  that fails is no failure. `planned`: the worktree that the thread is to have. */
export async function startFiles(
  { root, now }: Ports,
  { threadId, cwd, planned }: { threadId: string; cwd: string; planned: PlannedWorktree | null },
): Promise<StartFiles | null> {
  if (!isShared(root) || !existsSync(cwd) || !mayBeInRepository(cwd)) return null;
  if (!unwrap(await readSettings(root)).snapshots) return null;
  const repository = unwrap(await findRepository(cwd));
  if (repository === null) return null;
  const { head, tree } = await filesOf(root, repository, planned);
  const { commonDir: gitDir, objectFormat, workTree } = repository;
  const record = { gitDir, threadId, tree, message: "files in the beginning", atMs: now() };
  const commit = unwrap(await recordSnapshot({ ...record, travels: { head, fence: 0 } }));
  const travel = { machine: await thisMachine(root), cwd };
  const at = { travel, threadId, fence: 0, commit, atMs: now() };
  const { saved } = await saveFiles(repository, at);
  // In a worktree it has the same place.
  const place = relative(workTree, await realpath(cwd));
  return { ...saved, place, tree, head, objectFormat };
}

async function filesOf(
  root: string,
  repository: Repository,
  planned: PlannedWorktree | null,
): Promise<{ head: string | null; tree: string }> {
  if (planned !== null) {
    const { base: head, files } = planned.worktree;
    return { head, tree: files ?? unwrap(await treeNamed(head, repository)) };
  }
  const head = unwrap(await headOf(repository));
  const keep = storagePaths(root).workspaces;
  const { tree } = unwrap(await takeSnapshot({ repository, keep, leaveOut: [root] }));
  return { head, tree };
}

/** For a thread that was not created after all. Git that fails leaves a reference. */
export async function forgetStartFiles(
  cwd: string,
  { threadId, files }: { threadId: string; files: StartFiles },
): Promise<void> {
  const repository = await findRepository(cwd);
  if (!repository.ok || repository.value === null) return;
  await dropSnapshots(repository.value.commonDir, threadId);
  if (files.remote !== null && files.pushed)
    await dropRemoteSnapshots(repository.value, { threadId, url: files.remote });
}
