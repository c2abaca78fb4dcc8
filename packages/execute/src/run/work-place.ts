/** Before a role runs: may the thread work where it is to, and is its worktree there? */
import {
  err,
  type Failure,
  ok,
  type Result,
  type RunningThread,
  type StepWorkspace,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import { type Chain, roleStates } from "../chain/chain.ts";
import { leaseTag } from "../processes/process-tags.ts";
import type { Engine } from "../storage/engine.ts";
import { keptOutBy, workspaceBusy } from "../worktrees/neighbours.ts";
import { standWorktree } from "../worktrees/stand-worktree.ts";
import { type ThreadWorktree, worktreeOf, worktreesIn } from "../worktrees/worktree-record.ts";

/** `WORKSPACE_BUSY`: its workflow wants to be alone in the work tree, and another thread runs there. */
export async function mayWork(
  engine: Pick<Engine, "root" | "store" | "now">,
  thread: RunningThread,
  { workspace }: Pick<WorkflowDescriptor, "workspace">,
): Promise<Result<null, Failure>> {
  if (workspace !== "exclusive") return ok(null);
  if ((await worktreeOf(engine.root, { ...thread, member: null })) !== null) return ok(null);
  const other = await keptOutBy(engine, thread);
  return other === null ? ok(null) : err(workspaceBusy(other, thread.cwd));
}

/** Makes sure that the thread's worktree is there, and the one that `cwd` is in. The failures of `standWorktree`. */
export async function standWorktrees(
  { root }: Pick<Engine, "root">,
  thread: RunningThread,
  { chain, cwd, signal }: { chain: Chain; cwd: string; signal: AbortSignal },
): Promise<Result<void, Failure>> {
  const { threadId } = thread;
  const tag = `${leaseTag({ threadId, fence: thread.lease.fence })}:setup`;
  for (const worktree of await worktreesIn(root, threadId)) {
    if (worktree.member !== null && !isIn(cwd, worktree)) continue;
    const last = lastIn(chain, worktree);
    const stands = await standWorktree(root, worktree, { last, tag, signal });
    if (!stands.ok) return stands;
  }
  return ok(undefined);
}

/** What the last step in a worktree did to its files; null: none worked there. */
export function lastIn(chain: Chain, { path }: ThreadWorktree): StepWorkspace | null {
  const workspaces = roleStates(chain).map(({ node }) => node.payload.workspace);
  return workspaces.findLast((each) => each?.workTree === path) ?? null;
}

function isIn(cwd: string, { path }: ThreadWorktree): boolean {
  return cwd === path || cwd.startsWith(`${path}/`);
}
