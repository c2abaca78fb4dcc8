/** A workflow as an agent: a step runs another registered workflow as a child thread and waits for its end.
 *
 *  1. The start key is derived from the position in the parent's chain, so a step that runs again after a crash finds
 *     the child it started before and waits for that one; nothing the child did is done twice.
 *  2. A step made by a poke is a different step: its key includes the replaced step and the poke's prompt.
 *  3. The child is a thread like any other, with its own runner and the same commands. Parent and child are linked both
 *     ways.
 *  4. A step that is given up (its time is up, or its group has joined without it) has its child killed. When the whole
 *     parent is stopped, whoever stops it decides what becomes of its children. */
import { setTimeout as sleep } from "node:timers/promises";
import { encodeContent } from "@uncaged/workflow-cas";
import {
  type ChildOutcome,
  type ChildRequest,
  type Failure,
  type FinishedThread,
  failure,
  isFinished,
  type StepGroup,
  sumUsage,
  type ThreadRecord,
  unwrap,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { endState, loadChain, roleStates } from "../chain/chain.ts";
import { type ChainCursor, parentOf } from "../chain/chain-cursor.ts";
import { recordedResult } from "../chain/recorded-result.ts";
import { runningHost } from "../processes/host-file.ts";
import { othersWereFirst, startRunner } from "../runner/start-runner.ts";
import { createThread } from "../start/create-thread.ts";
import { runnableWorkflow } from "../start/runnable-workflow.ts";
import type { Engine } from "../storage/engine.ts";
import { lookAtThread } from "../watch/look-at-thread.ts";
import { depthBelow } from "./depth-below.ts";

const LOOK_EVERY_MS = 100;
/** Without a host nobody else takes a queued child up. */
const ASK_FOR_ROOM_EVERY = 10;
/** A child whose runner keeps dying is not worth another start. */
const MAX_RESTARTS = 3;

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
    startKey: startKeyOf(run, parentHead),
    depth,
    priority: run.parent.priority,
    parent: { threadId: run.parent.threadId, state: parentHead },
  });
  const { threadId } = thread;
  const { stopped, signal: given = stopped } = run;
  try {
    return await outcomeOf(
      engine,
      await untilFinal(engine, threadId, AbortSignal.any([stopped, given])),
    );
  } catch (thrown) {
    // A store that fails here says so with the step's own write.
    if (given.aborted && !stopped.aborted) await endTree(engine, threadId).catch(() => undefined);
    throw thrown;
  }
}

/** Kills a thread and all below it: parents first, so that none starts another child. A thread without a runner
 *  gets one once more, to receive the signal. */
async function endTree(engine: Engine, threadId: string): Promise<void> {
  const seen = await lookAtThread(engine, threadId);
  if (seen === null || isFinished(seen.thread)) return;
  await engine.store.signal(threadId, "kill", engine.now());
  if (seen.status !== "running") await startRunner(engine, threadId);
  for (const child of await engine.store.list({ parentThread: threadId }))
    await endTree(engine, child.threadId);
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

/** Waits for the end. A child without a runner is started; a child that a person stopped later is waited for. */
async function untilFinal(
  engine: Engine,
  threadId: string,
  signal: AbortSignal,
): Promise<FinishedThread> {
  let starts = 0;
  for (let looks = 1; ; looks += 1) {
    signal.throwIfAborted();
    const seen = await lookAtThread(engine, threadId);
    if (seen === null)
      throw new WorkflowError(
        failure("THREAD_NOT_FOUND", `child thread ${threadId} was removed`, ""),
      );
    const { thread, status, stale } = seen;
    if (isFinished(thread)) return thread;
    if (status === "idle" && (starts === 0 || stale)) {
      if (starts > MAX_RESTARTS) throw new WorkflowError(keepsDying(threadId));
      starts += 1;
      const runner = await startRunner(engine, threadId);
      if (!runner.ok && !othersWereFirst(runner.error)) throw new WorkflowError(runner.error);
    }
    if (status === "queued" && looks % ASK_FOR_ROOM_EVERY === 0)
      await startIfRoom(engine, threadId);
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

async function startIfRoom(engine: Engine, threadId: string): Promise<void> {
  if (runningHost(engine.root) !== null) return;
  const next = await engine.dispatch.next({ besides: [], nowMs: engine.now() });
  if (!next.includes(threadId)) return;
  const runner = await startRunner(engine, threadId);
  if (!runner.ok && !othersWereFirst(runner.error)) throw new WorkflowError(runner.error);
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

function keepsDying(threadId: string): Failure {
  return failure(
    "RUNNER_FAILED",
    `the runner of child thread ${threadId} died ${MAX_RESTARTS + 1} times`,
    `see: uncaged-workflow thread show ${threadId}`,
  );
}
