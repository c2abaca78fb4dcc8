/** The git worktrees that were made for threads: which stand, and taking them back.
 *
 *  1. Nothing is removed whose files are not in a step or in a commit.
 *  2. That of a thread which has not ended is removed under the thread's lease, so that no runner works there meanwhile.
 *     It is made again when the thread goes on. */
import { existsSync } from "node:fs";
import {
  err,
  type Failure,
  failure,
  isFinal,
  ok,
  type Result,
  type ThreadRecord,
  type ThreadStatus,
  unwrap,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { storagePaths, threadIdTime } from "@uncaged/workflow-util";
import {
  branchOf,
  findRepository,
  isSaved,
  recordSnapshot,
  takeSnapshot,
  unsavedIn,
} from "@uncaged/workflow-workspace";
import { parkedState, releaseLease } from "../lease/release-lease.ts";
import { withLease } from "../lease/with-lease.ts";
import type { Engine } from "../storage/engine.ts";
import { observedStatus } from "../watch/observe.ts";
import { folderSize } from "../worktrees/folder-size.ts";
import { recordedTrees, takeBack } from "../worktrees/take-back.ts";
import { forgetWorktree, type ThreadWorktree, worktreesIn } from "../worktrees/worktree-record.ts";

export type Workspace = {
  threadId: string;
  /** Place of the member of a group that works there, `<entry>.<index>`; null: the thread itself does. */
  member: string | null;
  /** null: the thread was removed. */
  status: ThreadStatus | null;
  repository: string;
  path: string;
  /** null: HEAD is detached. */
  branch: string | null;
  /** On the disk. */
  sizeBytes: number;
  /** Paths that differ from the last commit; ignored ones do not count. */
  changes: string[];
  /** All of it is in a step or in a commit, so that it can be removed. */
  isSaved: boolean;
};

/** Those that stand, oldest thread first. */
export async function listWorkspaces(engine: Engine): Promise<Workspace[]> {
  const listed: Workspace[] = [];
  for (const worktree of await worktreesIn(engine.root)) {
    if (!existsSync(worktree.path)) continue;
    const thread = await engine.store.get(worktree.threadId);
    listed.push(await lookAt(engine, worktree, thread));
  }
  return listed;
}

async function lookAt(
  engine: Engine,
  worktree: ThreadWorktree,
  thread: ThreadRecord | null,
): Promise<Workspace> {
  const { threadId, member, repository, path } = worktree;
  const status = thread === null ? null : observedStatus(thread, engine.now()).status;
  const sizeBytes = await folderSize(path);
  const place = { threadId, member, status, repository, path, sizeBytes };
  const found = await findRepository(path);
  // Its repository is gone, or the folder is something else by now.
  if (!found.ok || found.value?.workTree !== path)
    return { ...place, branch: null, changes: [], isSaved: false };
  const unsaved = unwrap(await unsavedIn(found.value));
  const { changes, hasCommits, underway, hasSubmodules } = unsaved;
  const branch = unwrap(await branchOf(found.value));
  const isOnlyChanged = changes.length > 0 && !hasCommits && underway === null && !hasSubmodules;
  const isRecorded = isOnlyChanged && (await isInStep(engine, worktree, thread));
  return { ...place, branch, changes, isSaved: isSaved(unsaved) || isRecorded };
}

async function isInStep(
  engine: Engine,
  worktree: ThreadWorktree,
  thread: ThreadRecord | null,
): Promise<boolean> {
  const { tree, skipped } = await treeOf(engine, worktree.path);
  const recorded = await treesOf(engine, thread);
  return skipped.length === 0 && (tree === worktree.files || recorded.has(tree));
}

/** None of a thread that is gone or damaged: then only commits count. */
async function treesOf(engine: Engine, thread: ThreadRecord | null): Promise<Set<string>> {
  if (thread === null) return new Set();
  try {
    return await recordedTrees(engine.cas, thread);
  } catch (thrown) {
    if (thrown instanceof WorkflowError) return new Set();
    throw thrown;
  }
}

async function treeOf(
  { root }: Pick<Engine, "root">,
  path: string,
): Promise<{ tree: string; skipped: string[] }> {
  const repository = unwrap(await findRepository(path));
  if (repository === null) throw new WorkflowError(noWorkTree(path));
  const keep = storagePaths(root).workspaces;
  return unwrap(await takeSnapshot({ repository, keep, leaveOut: [root] }));
}

export type RemovedWorkspaces = { threadId: string; removed: string[] };

/** Removes the worktrees of a thread, found by a part of its id. `record`: what is in no step or commit is recorded with
 *  the thread's snapshots first. `THREAD_NOT_FOUND`, `THREAD_AMBIGUOUS`, `LEASE_HELD`, `WORKTREE_UNSAVED`. */
export async function removeWorkspaces(
  engine: Engine,
  part: string,
  { record, signal }: { record: boolean; signal: AbortSignal },
): Promise<Result<RemovedWorkspaces, Failure>> {
  const named = await threadNamed(engine, part);
  if (!named.ok) return named;
  const threadId = named.value;
  const thread = await engine.store.get(threadId);
  const remove = (): Promise<Result<RemovedWorkspaces, Failure>> =>
    removeEach(engine, { threadId, thread, record });
  if (thread === null || isFinal(thread.status)) return remove();
  return withLease<RemovedWorkspaces>(engine, {
    threadId,
    signal,
    use: async ({ lease, before }) => {
      const removed = await remove();
      if (removed.ok) await releaseLease(engine, lease, parkedState(before));
      return removed;
    },
  });
}

async function removeEach(
  engine: Engine,
  { threadId, thread, record }: { threadId: string; thread: ThreadRecord | null; record: boolean },
): Promise<Result<RemovedWorkspaces, Failure>> {
  const removed: string[] = [];
  const recorded = await treesOf(engine, thread);
  for (const worktree of await worktreesIn(engine.root, threadId)) {
    const stood = existsSync(worktree.path);
    if (stood && record) recorded.add(await recordFiles(engine, worktree));
    const taken = await takeBack(engine.root, worktree, recorded);
    if (!taken.ok) return err(withRecord(taken.error, threadId, record));
    if (thread === null) await forgetWorktree(engine.root, worktree);
    if (stood) removed.push(worktree.path);
  }
  return ok({ threadId, removed });
}

async function recordFiles(engine: Engine, worktree: ThreadWorktree): Promise<string> {
  const { threadId, path, repository: gitDir } = worktree;
  const { tree, skipped } = await treeOf(engine, path);
  if (skipped.length > 0) throw new WorkflowError(unreadable(path, skipped));
  const message = `files of ${path}`;
  unwrap(await recordSnapshot({ gitDir, threadId, tree, message, atMs: engine.now() }));
  return tree;
}

export type CollectedWorkspaces = {
  removed: { threadId: string; path: string }[];
  /** Of threads that have ended or were removed, and why they stay. */
  kept: { threadId: string; path: string; code: string; message: string }[];
};

/** A thread younger than this may be about to be created. */
const YOUNG_MS = 3_600_000;

/** Takes back the worktrees of threads that have ended or were removed. */
export async function collectWorkspaces(engine: Engine): Promise<CollectedWorkspaces> {
  const collected: CollectedWorkspaces = { removed: [], kept: [] };
  for (const { worktree, thread } of await ofEndedThreads(engine)) {
    const { threadId, path } = worktree;
    const stood = existsSync(path);
    const taken = await takeBack(engine.root, worktree, await treesOf(engine, thread));
    if (!taken.ok) {
      const { code, message } = taken.error;
      collected.kept.push({ threadId, path, code, message });
      continue;
    }
    if (thread === null) await forgetWorktree(engine.root, worktree);
    if (stood) collected.removed.push({ threadId, path });
  }
  return collected;
}

/** Paths of the worktrees that stand although their threads have ended or were removed. git is not started. */
export async function leftWorkspaces(
  engine: Pick<Engine, "root" | "store" | "now">,
): Promise<string[]> {
  const paths = (await ofEndedThreads(engine)).map(({ worktree }) => worktree.path);
  return paths.filter((path) => existsSync(path));
}

async function ofEndedThreads({
  root,
  store,
  now,
}: Pick<Engine, "root" | "store" | "now">): Promise<
  { worktree: ThreadWorktree; thread: ThreadRecord | null }[]
> {
  const ended: { worktree: ThreadWorktree; thread: ThreadRecord | null }[] = [];
  for (const worktree of await worktreesIn(root)) {
    const { threadId } = worktree;
    const thread = await store.get(threadId);
    const hasEnded =
      thread === null ? threadIdTime(threadId) < now() - YOUNG_MS : isFinal(thread.status);
    if (hasEnded) ended.push({ worktree, thread });
  }
  return ended;
}

/** Of the threads that have a worktree, also those that were removed. */
async function threadNamed(engine: Engine, part: string): Promise<Result<string, Failure>> {
  const ids = new Set((await worktreesIn(engine.root)).map(({ threadId }) => threadId));
  const called = part.toUpperCase();
  const found = [...ids].filter((id) => id.startsWith(called) || id.endsWith(called));
  const [threadId] = found;
  if (threadId === undefined)
    return err(
      failure(
        "THREAD_NOT_FOUND",
        `no worktree was made for a thread ${JSON.stringify(part)}`,
        "see: uncaged-workflow workspace list",
      ),
    );
  if (found.length === 1) return ok(threadId);
  return err(
    failure(
      "THREAD_AMBIGUOUS",
      `${JSON.stringify(part)} fits ${found.length} threads: ${found.slice(0, 5).join(", ")}`,
      "give more characters of the id",
    ),
  );
}

function withRecord(reason: Failure, threadId: string, record: boolean): Failure {
  if (reason.code !== "WORKTREE_UNSAVED" || record) return reason;
  const hint = `commit it there, or keep it with the thread's snapshots: uncaged-workflow workspace rm ${threadId} --record`;
  return failure(reason.code, reason.message, hint);
}

function unreadable(path: string, skipped: readonly string[]): Failure {
  return failure(
    "WORKTREE_UNSAVED",
    `files in ${path} cannot be read: ${skipped.slice(0, 5).join(", ")}`,
    "make them readable, or delete them",
  );
}

function noWorkTree(path: string): Failure {
  return failure("GIT_FAILED", `git finds no work tree at ${path}`, "see: git worktree list");
}
