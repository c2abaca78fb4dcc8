/** A worker's thread, from its start to its end.
 *
 *  1. The start key is the note in which the worker was started, so however often a coordinator is cut off, there is one
 *     thread for it, and what it did is not done again.
 *  2. A worker whose workflow has come to its end waits as long as its coordinator works: it may be told to go on. */
import {
  failureFrom,
  isFinished,
  type ThreadRecord,
  type Usage,
  unwrap,
  type WorkerEnd,
} from "@uncaged/workflow-protocol";
import { mayBeInRepository } from "@uncaged/workflow-workspace";
import { endState, loadChain, roleStates } from "../chain/chain.ts";
import { readNode } from "../chain/read-node.ts";
import { recordedResult } from "../chain/recorded-result.ts";
import type { Worker } from "../chain/worker-book.ts";
import { createThread } from "../start/create-thread.ts";
import { depthBelow } from "../start/depth-below.ts";
import { runnableWorkflow } from "../start/runnable-workflow.ts";
import type { Engine } from "../storage/engine.ts";
import type { SeenThread } from "../watch/look-at-thread.ts";
import { endTree } from "./end-tree.ts";
import { untilRests } from "./until-rests.ts";

export type SeenEnd = {
  status: WorkerEnd;
  summary: string;
  result: string;
  /** Of all its turns. */
  usage: Usage | null;
  toolUses: number;
  durationMs: number;
};

/** The thread of a worker, made if there is none yet. Throws `MAX_DEPTH` and `WORKFLOW_NOT_FOUND`. */
export async function workerThread(
  engine: Engine,
  worker: Worker,
  {
    parent,
    role,
    cwd,
    scratch,
  }: { parent: ThreadRecord; role: string; cwd: string; scratch: string },
): Promise<string> {
  const depth = unwrap(await depthBelow(engine, parent, { role, workflow: worker.workflow }));
  const workflow = unwrap(await runnableWorkflow(engine, worker.workflow));
  const { payload } = await readNode(engine.cas, worker.prompt, "content");
  const { thread } = await createThread(engine, {
    workflow,
    prompt: `${payload}\n\n${SCRATCH(scratch)}`,
    cwd,
    // What the coordinator sees counts, committed or not.
    worktree: workflow.workspace === "worktree" || mayBeInRepository(cwd) ? "as it is" : null,
    startKey: `worker:${parent.threadId}:${worker.spawn}`,
    title: worker.title,
    agent: worker.agent,
    depth,
    priority: parent.priority,
    pool: parent.pool,
    needs: parent.needs,
    parent: { threadId: parent.threadId, state: worker.spawn },
  });
  return thread.threadId;
}

const SCRATCH = (folder: string): string =>
  `You are one of several workers of a coordinator. You share the folder ${folder} with the others: put there what they need to read, and nothing else. Your final answer goes to the coordinator.`;

/** Waits until the worker's turn ends. `mustEnd`: asked again and again; the worker is killed once it is true. */
export async function untilEnds(
  engine: Engine,
  {
    threadId,
    worker,
    parent,
  }: { threadId: string; worker: Pick<Worker, "message">; parent: ThreadRecord },
  { mustEnd, signal }: { mustEnd: () => boolean; signal: AbortSignal },
): Promise<SeenEnd> {
  let told = false;
  const restsAs = async (seen: SeenThread): Promise<SeenEnd | null> => {
    const { thread } = seen;
    if (isFinished(thread)) return endOf(engine, thread, FINAL[thread.status], thread.summary);
    if (mustEnd() && !told) {
      told = true;
      await endTree(engine, threadId);
      return null;
    }
    if (thread.status !== "suspended") return null;
    if (worker.message !== null && thread.stepCount <= worker.message.steps) {
      // It has not heard: a crash came before this, or this is the first time.
      const { payload } = await readNode(engine.cas, worker.message.content, "content");
      await tell(engine, threadId, payload);
      return null;
    }
    const [wait] = thread.waits;
    if (wait.kind === "person") return null;
    if (wait.kind === "limit") {
      const end = await endOf(engine, thread, "failed", `it was stopped: ${wait.message}`);
      await endTree(engine, threadId);
      return end;
    }
    return wait.kind === "coordinator"
      ? endOf(engine, thread, "completed", wait.message)
      : endOf(engine, thread, "waiting", `it asks: ${wait.message}`);
  };
  const mayStart = async (): Promise<boolean> => {
    const [waiting = []] = await engine.store.signals([parent.threadId]);
    return !waiting.includes("pause");
  };
  return untilRests(engine, threadId, { restsAs, mayStart, signal });
}

/** One that does not wait any more is looked at again. */
async function tell({ store, now }: Engine, threadId: string, text: string): Promise<void> {
  try {
    await store.answer({ threadId, text, nowMs: now() });
  } catch (thrown) {
    if (failureFrom(thrown, "STORAGE_FAILED").code !== "TRANSITION_INVALID") throw thrown;
  }
}

const FINAL = { completed: "completed", failed: "failed", aborted: "killed" } as const;

async function endOf(
  engine: Engine,
  thread: ThreadRecord,
  status: WorkerEnd,
  summary: string,
): Promise<SeenEnd> {
  const chain = await loadChain(engine.cas, thread);
  const rounds = roleStates(chain);
  const end = endState(chain);
  const value = end === null ? undefined : recordedResult(end.node)?.value;
  const last = rounds.at(-1);
  const said =
    last === undefined
      ? ""
      : (await readNode(engine.cas, last.node.payload.content, "content")).payload;
  return {
    status,
    summary,
    result: value === undefined ? said : typeof value === "string" ? value : JSON.stringify(value),
    usage: thread.usage,
    toolUses: rounds.reduce((sum, { node }) => sum + (node.payload.evidence?.length ?? 0), 0),
    durationMs: Math.max(0, thread.updatedAt - thread.createdAt),
  };
}
