/** Workers whose workflow has come to its end, and who wait because their coordinator may have them go on.
 *
 *  Whether one waits is read from the chain of its coordinator: as long as no round has come after the note in which it
 *  was started. So nothing has to be undone when the coordinator's step is stored, and a worker that nobody let go after
 *  a crash ends the next time anybody runs it. */
import {
  err,
  type Failure,
  failure,
  isFinished,
  leaseOf,
  ok,
  type Result,
  type ThreadRecord,
  waitsOf,
} from "@uncaged/workflow-protocol";
import { isRound } from "../chain/chain.ts";
import { isWorker } from "../chain/is-worker.ts";
import { readNode } from "../chain/read-node.ts";
import { walkChain } from "../chain/walk-chain.ts";
import { startRunner } from "../runner/start-runner.ts";
import type { Engine } from "../storage/engine.ts";

/** Whether the step that started this worker is still under way. */
export async function isCoordinated(
  { cas, store }: Pick<Engine, "cas" | "store">,
  { parentThread, startHash }: Pick<ThreadRecord, "parentThread" | "startHash">,
): Promise<boolean> {
  const parent = parentThread === null ? null : await store.get(parentThread);
  if (parent === null || isFinished(parent)) return false;
  const { parentState } = (await readNode(cas, startHash, "start")).payload;
  for await (const state of walkChain(cas, parent)) {
    if (state.hash === parentState) return true;
    if (isRound(state)) return false;
  }
  return false;
}

/** Refused: a worker whose coordinator was stopped. Whoever stops a coordinator stops the workers that run by then; one whose
 *  runner takes its lease later finds that the coordinator has none. */
export async function mayBegin(
  engine: Pick<Engine, "cas" | "store">,
  worker: ThreadRecord,
): Promise<Result<null, Failure>> {
  const { parentThread } = worker;
  const parent = parentThread === null ? null : await engine.store.get(parentThread);
  if (parent === null || leaseOf(parent) !== null || isFinished(parent)) return ok(null);
  if (!(await isWorker(engine.cas, worker)) || !(await isCoordinated(engine, worker)))
    return ok(null);
  return err(
    failure(
      "TRANSITION_INVALID",
      `thread ${worker.threadId} is a worker of thread ${parent.threadId}, which does not run`,
      `run them together: uncaged-workflow thread resume ${parent.threadId}`,
    ),
  );
}

/** Lets those of this thread end that wait. One that cannot be started ends when somebody resumes it. */
export async function releaseWorkers(engine: Engine, threadId: string): Promise<void> {
  const children = await engine.store.list({ parentThread: threadId, suspended: true });
  const held = children.filter((each) => waitsOf(each).some(({ kind }) => kind === "coordinator"));
  await Promise.all(held.map((each) => startRunner(engine, each.threadId)));
}
