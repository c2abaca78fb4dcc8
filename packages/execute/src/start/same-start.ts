/** A start key stands for one start: using it again with a different request is a mistake of the caller, who would get
 *  a thread that does something else. */
import { encodeContent } from "@uncaged/workflow-cas";
import {
  err,
  type Failure,
  failure,
  type Limits,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { promptHash } from "../chain/chain.ts";
import { readNode } from "../chain/read-node.ts";
import type { Engine } from "../storage/engine.ts";

/** `TARGET_EXISTS` when the thread with this key was started with another workflow, prompt or limits. Another version
 *  of the workflow, or another directory, does not matter. */
export async function sameStart(
  { cas }: Pick<Engine, "cas">,
  thread: ThreadRecord,
  asked: { workflow: string; prompt: string; limits: Limits | null; startKey: string },
): Promise<Result<null, Failure>> {
  const refused = (other: string): Result<never, Failure> =>
    err(
      failure(
        "TARGET_EXISTS",
        `the key ${JSON.stringify(asked.startKey)} belongs to thread ${thread.threadId}, which was started with ${other}`,
        `nothing was started; give another key, or see what it does: uncaged-workflow thread show ${thread.threadId}`,
      ),
    );
  if (thread.workflow !== asked.workflow)
    return refused(`another workflow: ${thread.workflow}, not ${asked.workflow}`);
  const start = await readNode(cas, thread.startHash, "start");
  if (promptHash(start) !== encodeContent(asked.prompt).hash) return refused("another prompt");
  return haveSameLimits(thread, asked.limits) ? ok(null) : refused("other limits");
}

/** Once a thread has made steps, `resume` may have raised its limits. */
function haveSameLimits({ limits, stepCount }: ThreadRecord, asked: Limits | null): boolean {
  return (["steps", "tokens", "costUsd", "timeMs"] as const).every((bound) => {
    const [set, wanted] = [limits?.[bound], asked?.[bound]];
    if (set === wanted) return true;
    const canBeRaised = stepCount > 0 && set !== undefined;
    return canBeRaised && (wanted === undefined || wanted < set);
  });
}
