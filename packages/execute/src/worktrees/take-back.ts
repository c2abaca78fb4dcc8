/** Takes back the worktrees of a thread. What is in none of its steps and in no commit stays where it is. */
import { existsSync } from "node:fs";
import {
  err,
  type Failure,
  failureFrom,
  ok,
  type Result,
  type ThreadRecord,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import {
  findRepository,
  forgetWorkTree,
  type Repository,
  removeWorktree,
  takeSnapshot,
  tryGit,
} from "@uncaged/workflow-workspace";
import type { NodeReader } from "../chain/read-node.ts";
import { walkChain } from "../chain/walk-chain.ts";
import { type ThreadWorktree, worktreesIn } from "./worktree-record.ts";

type Ports = { root: string; cas: NodeReader };

/** Of each that is there; `WORKTREE_UNSAVED` or `GIT_FAILED` says why one stays. */
export async function takeBackWorktrees(
  engine: Ports,
  thread: Pick<ThreadRecord, "threadId" | "startHash" | "head">,
): Promise<{ worktree: ThreadWorktree; result: Result<void, Failure> }[]> {
  const worktrees = await worktreesIn(engine.root, thread.threadId);
  if (worktrees.length === 0) return [];
  const recorded = await recordedTrees(engine.cas, thread);
  const taken: { worktree: ThreadWorktree; result: Result<void, Failure> }[] = [];
  for (const worktree of worktrees)
    taken.push({ worktree, result: await takeBack(engine.root, worktree, recorded) });
  return taken;
}

/** For a thread that ends, which nothing here can change: what stays is listed by `workspace list`. */
export async function tidyWorktrees(
  engine: Ports,
  thread: Pick<ThreadRecord, "threadId" | "startHash" | "head">,
): Promise<void> {
  await takeBackWorktrees(engine, thread).catch(() => undefined);
}

/** Every tree that a step of the thread names. Throws when the chain is damaged. */
export async function recordedTrees(
  cas: NodeReader,
  at: { startHash: string; head: string },
): Promise<Set<string>> {
  const trees = new Set<string>();
  for await (const { node } of walkChain(cas, at))
    for (const tree of [node.payload.workspace?.before, node.payload.workspace?.after])
      if (tree !== undefined) trees.add(tree);
  return trees;
}

/** One that is gone already is no failure. */
export async function takeBack(
  root: string,
  worktree: ThreadWorktree,
  recorded: ReadonlySet<string>,
): Promise<Result<void, Failure>> {
  const { repository: commonDir, path, branch, base } = worktree;
  if (!existsSync(commonDir)) return ok(undefined);
  const removed = await remove(root, worktree, recorded);
  // Somebody else who takes it back too may have been first.
  if (!removed.ok && existsSync(path)) return removed;
  // A branch without commits of its own; git removes it only where it still is.
  const args = ["update-ref", "-d", `refs/heads/${branch}`, base];
  const dropped = await tryGit(args, { scope: { gitDir: commonDir }, cwd: commonDir });
  return dropped.ok ? ok(undefined) : dropped;
}

async function remove(
  root: string,
  { repository: commonDir, path, files }: ThreadWorktree,
  recorded: ReadonlySet<string>,
): Promise<Result<void, Failure>> {
  const keep = storagePaths(root).workspaces;
  const isKept = async (worktree: Repository): Promise<Result<boolean, Failure>> => {
    const taken = await takeSnapshot({ repository: worktree, keep, leaveOut: [root] });
    if (!taken.ok) return taken;
    const { tree, skipped } = taken.value;
    return ok(skipped.length === 0 && (tree === files || recorded.has(tree)));
  };
  try {
    const found = existsSync(path) ? await findRepository(path) : ok(null);
    if (!found.ok) return found;
    const removed = await removeWorktree({
      repository: { commonDir },
      path,
      isKept: async (worktree, { hasCommits, underway }) =>
        hasCommits || underway !== null ? ok(false) : isKept(worktree),
    });
    if (!removed.ok) return removed;
    if (found.value?.workTree === path) await forgetWorkTree(keep, found.value);
    return ok(undefined);
  } catch (thrown) {
    // A folder that cannot be moved or deleted.
    if (thrown instanceof WorkflowError) throw thrown;
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}
