/** What a finished thread returns, read from its end node. */
import {
  endingOf,
  err,
  type Failure,
  failure,
  isFinal,
  isPersonWait,
  type JsonValue,
  ok,
  type RecordedResult,
  type Result,
  suspensionOf,
  type ThreadRecord,
  type Wait,
} from "@uncaged/workflow-protocol";
import { isRound } from "../chain/chain.ts";
import { type NodeReader, readNode } from "../chain/read-node.ts";
import { recordedResult } from "../chain/recorded-result.ts";
import { walkChain } from "../chain/walk-chain.ts";
import { observedStatus } from "../watch/observe.ts";

/** null: the thread has not ended, or its end node records no result. */
export async function recordedResultOf(
  cas: NodeReader,
  { status, head }: Pick<ThreadRecord, "status" | "head">,
): Promise<RecordedResult | null> {
  return isFinal(status) ? recordedResult(await readNode(cas, head, "state")) : null;
}

/** The value of the workflow's `result`; without one, the content of the last role's message; null when no role ran.
 *  Fails with `THREAD_UNFINISHED`, or with `RESULT_FAILED` when the thread did not complete or the expression could not
 *  be evaluated. */
export async function threadResult(
  engine: { cas: NodeReader; now: () => number },
  thread: ThreadRecord,
): Promise<Result<JsonValue, Failure>> {
  const { threadId } = thread;
  const { status } = observedStatus(thread, engine.now());
  if (!isFinal(status)) return err(unfinished(thread, status));
  const see = `see: uncaged-workflow thread show ${threadId}`;
  if (status !== "completed") {
    const how = status === "failed" ? "failed" : "was aborted";
    return err(
      failure(
        "RESULT_FAILED",
        `thread ${threadId} ${how}: ${endingOf(thread)?.summary ?? ""}`,
        see,
      ),
    );
  }
  const recorded = await recordedResultOf(engine.cas, thread);
  if (recorded?.value !== undefined) return ok(recorded.value);
  if (recorded?.error !== undefined) {
    return err(failure("RESULT_FAILED", `thread ${threadId}: ${recorded.error}`, see));
  }
  return ok(await lastContent(engine.cas, thread));
}

async function lastContent(cas: NodeReader, thread: ThreadRecord): Promise<string | null> {
  for await (const state of walkChain(cas, thread)) {
    if (!isRound(state)) continue;
    return (await readNode(cas, state.node.payload.content, "content")).payload;
  }
  return null;
}

function unfinished(thread: ThreadRecord, status: string): Failure {
  const { threadId } = thread;
  const wait = suspensionOf(thread);
  const hint =
    wait === null
      ? `wait for it: uncaged-workflow thread live ${threadId}`
      : `answer it: uncaged-workflow ${howToAnswer(threadId, wait)} --wait`;
  return failure(
    "THREAD_UNFINISHED",
    `thread ${threadId} is ${status}: it has no result yet`,
    hint,
  );
}

function howToAnswer(threadId: string, wait: Wait): string {
  return isPersonWait(wait) ? `answer ${threadId}` : `thread resume ${threadId} -p <answer>`;
}
