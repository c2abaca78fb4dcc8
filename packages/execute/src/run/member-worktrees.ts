/** A git worktree for each member of a group that is to have one.
 *
 *  1. It begins with the files that the group finds in the thread's work tree, committed or not.
 *  2. What a member does there stays there: its step names the tree, and nothing is merged.
 *  3. One after the other: git has one list of a repository's worktrees. */
import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import {
  failure,
  type RunningThread,
  type StepGroup,
  unwrap,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import type { Chain } from "../chain/chain.ts";
import { stepTag } from "../processes/process-tags.ts";
import type { Engine } from "../storage/engine.ts";
import { workTreeOf } from "../worktrees/neighbours.ts";
import { folderOf, planWorktree } from "../worktrees/plan-worktree.ts";
import { standWorktree } from "../worktrees/stand-worktree.ts";
import {
  memberName,
  type ThreadWorktree,
  worktreeOf,
  writeWorktree,
} from "../worktrees/worktree-record.ts";
import { lastIn } from "./work-place.ts";

export type MemberPlace = {
  cwd: string;
  /** Makes the worktree. Rejects when there can be none. */
  stand: () => Promise<void>;
};

/** `worktrees`: `config.worktrees`. Throws `USAGE` where there is no repository. */
export function memberWorktrees(
  engine: Pick<Engine, "root" | "now">,
  {
    thread,
    chain,
    worktrees,
    signal,
  }: {
    thread: RunningThread;
    chain: Chain;
    worktrees: string | null;
    signal: AbortSignal;
  },
): (member: { cwd: string; group: StepGroup }) => MemberPlace {
  const { threadId } = thread;
  let turn: Promise<unknown> = Promise.resolve();
  return ({ cwd, group }) => {
    const workTree = workTreeOf(cwd);
    if (workTree === null) throw new WorkflowError(noWorkTree(cwd, group));
    const member = memberName(group);
    const path = join(folderOf(engine.root, worktrees), `${threadId}.${member}`);
    const make = async (): Promise<void> => {
      signal.throwIfAborted();
      const worktree =
        (await worktreeOf(engine.root, { threadId, member })) ?? (await planned(cwd, member));
      const { fence } = thread.lease;
      const tag = `${stepTag({ threadId, fence, group })}:setup`;
      const last = lastIn(chain, worktree);
      unwrap(await standWorktree(engine.root, worktree, { last, tag, signal }));
    };
    return {
      cwd: join(path, relative(workTree, realpathSync(cwd))),
      stand: () => {
        const made = turn.then(make);
        turn = made.catch(() => undefined);
        return made;
      },
    };
  };

  async function planned(cwd: string, member: string): Promise<ThreadWorktree> {
    const plan = await planWorktree(engine, { threadId, member, cwd, from: "as it is" });
    const { worktree } = unwrap(plan);
    await writeWorktree(engine.root, worktree);
    return worktree;
  }
}

function noWorkTree(cwd: string, { name }: StepGroup): ReturnType<typeof failure> {
  return failure(
    "USAGE",
    `a member of the group ${name} is to have a git worktree, and ${cwd} is in no repository`,
    "start the thread in a folder of a git repository",
  );
}
