/** A workflow as an agent: a step runs another registered workflow as a child thread and waits for its end.
 *
 *  1. The start key is made from the place in the parent's chain, so a step that is run again after a crash
 *     finds the child it started before and goes on with it; nothing the child did is done twice.
 *  2. A step that a poke makes again is another one, by the step that it replaces and by what is asked of it.
 *  3. The child is a thread like any other: in its own runner, steered by the same verbs. Linked both ways. */
import { setTimeout as sleep } from "node:timers/promises";
import { encodeContent } from "@uncaged/workflow-cas";
import {
  type ChildOutcome,
  type ChildRequest,
  type Failure,
  failure,
  isFinal,
  sumUsage,
  type ThreadRecord,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { parentOf, type Tail } from "./append-step.ts";
import { loadChain, roleStates } from "./chain.ts";
import { createThread } from "./create-thread.ts";
import { depthBelow } from "./depth-below.ts";
import type { Engine } from "./engine.ts";
import { lookAtThread } from "./look-at-thread.ts";
import { orThrow } from "./or-throw.ts";
import { runnableWorkflow } from "./runnable-workflow.ts";
import { othersWereFirst, spawnRunner } from "./spawn-runner.ts";

const LOOK_EVERY_MS = 100;
/** A child whose runner keeps dying is not worth another start. */
const MAX_RESTARTS = 3;

export type ChildRun = ChildRequest & {
  role: string;
  call: number;
  cwd: string;
  parent: ThreadRecord;
  tail: Tail;
  signal: AbortSignal;
};

/** Throws `MAX_DEPTH`, `WORKFLOW_NOT_FOUND`, or what kept the child's runner from starting. */
export async function runChild(engine: Engine, run: ChildRun): Promise<ChildOutcome> {
  const depth = orThrow(await depthBelow(engine, run.parent, run));
  const workflow = orThrow(await runnableWorkflow(engine, run.workflow));
  const parentHead = parentOf(run.tail);
  const { thread } = await createThread(engine, {
    workflow,
    prompt: run.prompt,
    cwd: run.cwd,
    startKey: startKeyOf(run, parentHead),
    depth,
    parent: { threadId: run.parent.threadId, state: parentHead },
  });
  return outcomeOf(engine, await untilFinal(engine, thread.threadId, run.signal));
}

function startKeyOf({ parent, tail, role, call, prompt }: ChildRun, parentHead: string): string {
  const poke = tail.head === parentHead ? [] : [tail.head, encodeContent(prompt).hash];
  return ["child", parent.threadId, parentHead, role, call, ...poke].join(":");
}

/** Waits for the end. A child that nobody runs is started; one that a person stopped later is waited for. */
async function untilFinal(
  engine: Engine,
  threadId: string,
  signal: AbortSignal,
): Promise<ThreadRecord> {
  let starts = 0;
  while (true) {
    signal.throwIfAborted();
    const seen = await lookAtThread(engine, threadId);
    if (seen === null)
      throw new WorkflowError(
        failure("THREAD_NOT_FOUND", `child thread ${threadId} was removed`, ""),
      );
    const { thread, status, stale } = seen;
    if (isFinal(status)) return thread;
    if (status === "idle" && (starts === 0 || stale)) {
      if (starts > MAX_RESTARTS) throw new WorkflowError(keepsDying(threadId));
      starts += 1;
      const runner = await spawnRunner(engine, threadId);
      if (!runner.ok && !othersWereFirst(runner.error)) throw new WorkflowError(runner.error);
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

async function outcomeOf(engine: Engine, thread: ThreadRecord): Promise<ChildOutcome> {
  const chain = await loadChain(engine.cas, thread);
  const last = roleStates(chain).at(-1);
  return {
    threadId: thread.threadId,
    returnCode: thread.returnCode ?? 1,
    summary: thread.summary ?? "",
    rootHash: thread.head,
    lastMeta: last === undefined ? {} : last.node.payload.meta,
    bundleHash: thread.bundleHash,
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
