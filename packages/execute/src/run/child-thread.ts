/** A workflow as an agent: a step runs another registered workflow as a child thread and waits for its end.
 *
 *  1. The start key is derived from the position in the parent's chain, so a step that runs again after a crash finds
 *     the child it started before and waits for that one; nothing the child did is done twice.
 *  2. A step made by a poke is a different step: its key includes the replaced step and the poke's prompt.
 *  3. The child is a thread like any other, with its own runner and the same commands. Parent and child are linked both
 *     ways.
 *  4. A step that is given up (its time is up, or its group has joined without it) has its child killed. When the whole
 *     parent is stopped, whoever stops it decides what becomes of its children. */
import { encodeContent } from "@uncaged/workflow-cas";
import {
  type ChildOutcome,
  type ChildRequest,
  type FinishedThread,
  isFinished,
  type StepGroup,
  sumUsage,
  type ThreadRecord,
  unwrap,
} from "@uncaged/workflow-protocol";
import { endState, loadChain, roleStates } from "../chain/chain.ts";
import { type ChainCursor, parentOf } from "../chain/chain-cursor.ts";
import { recordedResult } from "../chain/recorded-result.ts";
import { createThread } from "../start/create-thread.ts";
import { depthBelow } from "../start/depth-below.ts";
import { runnableWorkflow } from "../start/runnable-workflow.ts";
import type { Engine } from "../storage/engine.ts";
import { endTree } from "../workers/end-tree.ts";
import { untilRests } from "../workers/until-rests.ts";

export type ChildRun = ChildRequest & {
  role: string;
  call: number;
  cwd: string;
  parent: ThreadRecord;
  cursor: ChainCursor;
  /** The group of the step that starts it; undefined: the step is not a member of a group. */
  group: StepGroup | undefined;
  /** Aborted when the parent is stopped. */
  stopped: AbortSignal;
};

/** Throws `MAX_DEPTH`, `WORKFLOW_NOT_FOUND`, or what kept the child's runner from starting. */
export async function runChild(engine: Engine, run: ChildRun): Promise<ChildOutcome> {
  const depth = unwrap(await depthBelow(engine, run.parent, run));
  const workflow = unwrap(await runnableWorkflow(engine, run.workflow));
  const parentHead = stateBefore(run);
  const { thread } = await createThread(engine, {
    workflow,
    prompt: run.prompt,
    cwd: run.cwd,
    // What the parent has done counts, committed or not.
    worktree: workflow.workspace === "worktree" ? "as it is" : null,
    startKey: startKeyOf(run, parentHead),
    depth,
    priority: run.parent.priority,
    pool: run.parent.pool,
    needs: run.parent.needs,
    parent: { threadId: run.parent.threadId, state: parentHead },
  });
  const { threadId } = thread;
  const { stopped, signal: given = stopped } = run;
  try {
    return await outcomeOf(
      engine,
      await untilRests(engine, threadId, {
        restsAs: ({ thread: seen }) => (isFinished(seen) ? seen : null),
        signal: AbortSignal.any([stopped, given]),
      }),
    );
  } catch (thrown) {
    // A store that fails here says so with the step's own write.
    if (given.aborted && !stopped.aborted) await endTree(engine, threadId).catch(() => undefined);
    throw thrown;
  }
}

/** The last state that the step sees: a member of a group does not see what other members have done meanwhile. */
function stateBefore({ cursor, group }: ChildRun): string {
  if (group === undefined) return parentOf(cursor);
  return cursor.lastStates.at(-1 - (cursor.rounds - group.entry)) ?? cursor.startHash;
}

function startKeyOf(
  { parent, cursor, role, call, prompt, group }: ChildRun,
  parentHead: string,
): string {
  const member = group === undefined ? [] : [group.name, group.index];
  const isPoke = cursor.head !== parentOf(cursor);
  const poke = isPoke ? [cursor.head, encodeContent(prompt).hash] : [];
  return ["child", parent.threadId, parentHead, role, call, ...member, ...poke].join(":");
}

async function outcomeOf(engine: Engine, thread: FinishedThread): Promise<ChildOutcome> {
  const chain = await loadChain(engine.cas, thread);
  const last = roleStates(chain).at(-1);
  const end = endState(chain);
  const recorded = end === null ? null : recordedResult(end.node);
  return {
    threadId: thread.threadId,
    returnCode: thread.returnCode,
    summary: thread.summary,
    rootHash: thread.head,
    lastMeta: last === undefined ? {} : last.node.payload.meta,
    bundleHash: thread.bundleHash,
    ...(recorded?.value === undefined ? {} : { result: recorded.value }),
    usage: chain.states.map((state) => state.node.payload.usage ?? null).reduce(sumUsage, null),
  };
}
