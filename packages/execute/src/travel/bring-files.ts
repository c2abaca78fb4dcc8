/** Brings the files of a thread to this machine, from the remote that another machine has pushed them to.
 *
 *  1. They come into a bare repository of ours, one per remote, and from there into a worktree: nobody's own work tree is
 *     touched.
 *  2. What a former attempt left here in a worktree is recorded with the thread's snapshots, and then gives way.
 *  3. The record of the worktree comes before the worktree, as everywhere; a crash in between is the same case as a
 *     worktree that was deleted. */
import { existsSync } from "node:fs";
import { isAbsolute, join, normalize } from "node:path";
import {
  err,
  type Failure,
  ok,
  type Result,
  type RunningThread,
  unwrap,
} from "@uncaged/workflow-protocol";
import { readSettings } from "@uncaged/workflow-register";
import { storagePaths } from "@uncaged/workflow-util";
import {
  findRepository,
  forgetWorkTree,
  recordSnapshot,
  removeWorktree,
  takeSnapshot,
} from "@uncaged/workflow-workspace";
import type { Chain } from "../chain/chain.ts";
import type { Engine } from "../storage/engine.ts";
import { folderOf } from "../worktrees/plan-worktree.ts";
import { type ThreadWorktree, worktreeOf, writeWorktree } from "../worktrees/worktree-record.ts";
import { fetchHere } from "./fetch-here.ts";
import { thisMachine } from "./machine.ts";
import { type LastFiles, mayComeHere, outOfReach } from "./saved-files.ts";

type Ports = Pick<Engine, "root" | "cas" | "now">;

/** Where the thread works here. What is missing is fetched; the worktree is made by whoever lets somebody work there
 *  (`stand-worktree`). `WORKSPACE_ELSEWHERE`, or `GIT_FAILED`. */
export async function bringFiles(
  engine: Ports,
  thread: RunningThread,
  chain: Chain,
): Promise<Result<{ cwd: string }, Failure>> {
  const here = await mayComeHere(engine, thread);
  if (!here.ok) return here;
  const last = here.value;
  if (last === null) return ok({ cwd: thread.cwd });
  const place = normalize(last.saved.place ?? "");
  if (isAbsolute(place) || place.startsWith("..")) return ok({ cwd: thread.cwd });
  const { id } = await thisMachine(engine.root);
  if (last.saved.machine.id === id)
    return ok({ cwd: last.workTree === null ? thread.cwd : join(last.workTree, place) });
  const { threadId } = thread;
  const former = await worktreeOf(engine.root, { threadId, member: null });
  if (former !== null && isAt(former, last)) return ok({ cwd: join(former.path, place) });
  const { saved, tree, objectFormat } = last;
  const fetched = await fetchHere(engine.root, { threadId, former, saved, objectFormat, chain });
  // Another machine may reach the remote, and it may be back soon.
  if (!fetched.ok) return err(outOfReach(threadId, saved, fetched.error));
  const cleared = former === null ? ok(null) : await giveWay(engine, former);
  if (!cleared.ok) return cleared;
  const settings = await readSettings(engine.root);
  if (!settings.ok) return settings;
  const name = `${threadId}-${thread.lease.fence}`;
  const worktree: ThreadWorktree = {
    ...{ threadId, member: null, repository: fetched.value, objectFormat },
    from: fetched.value,
    path: join(folderOf(engine.root, settings.value.tasks.worktrees), name),
    branch: `uncaged/work-${name}`,
    base: last.head ?? saved.commit,
    files: tree,
  };
  await writeWorktree(engine.root, worktree);
  return ok({ cwd: join(worktree.path, place) });
}

/** An earlier tenure of this machine has brought these files, and no step has followed; or a fork began with them. */
function isAt(worktree: ThreadWorktree, { tree, head, saved }: LastFiles): boolean {
  return worktree.files === tree && worktree.base === (head ?? saved.commit);
}

/** A worktree of this thread that is behind: what is in no step is kept with its snapshots. */
async function giveWay(
  { root, now }: Ports,
  { threadId, path, repository: gitDir }: ThreadWorktree,
): Promise<Result<null, Failure>> {
  if (!existsSync(path)) return ok(null);
  const found = await findRepository(path);
  if (!found.ok) return found;
  if (found.value?.workTree !== path) return ok(null);
  const keep = storagePaths(root).workspaces;
  const { tree } = unwrap(await takeSnapshot({ repository: found.value, keep, leaveOut: [root] }));
  const message = "files of an attempt that another machine has made again";
  unwrap(await recordSnapshot({ gitDir, threadId, tree, message, atMs: now() }));
  const repository = { commonDir: gitDir };
  const removed = await removeWorktree({ repository, path, isKept: async () => ok(true) });
  if (!removed.ok) return removed;
  await forgetWorkTree(keep, found.value);
  return ok(null);
}
