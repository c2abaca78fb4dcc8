import {
  type Failure,
  isThreadId,
  ok,
  type Result,
  RUN_MARK_ENV,
} from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";

/** What a session that a person started for a thread must not forget: `UNCAGED_THREAD_ID` says which. Without it
 *  there is nothing to say, and a session that the engine runs is told by the engine. */
export async function context({ env }: Io): Promise<Result<Output, Failure>> {
  const threadId = env.UNCAGED_THREAD_ID ?? "";
  const text = isThreadId(threadId) && !env[RUN_MARK_ENV] ? reminder(threadId) : "";
  return ok({ document: { text }, verbatim: text });
}

function reminder(threadId: string): string {
  return [
    `This session works for thread ${threadId}.`,
    `If you no longer know its task or what happened so far, run: uncaged-workflow thread context ${threadId}`,
    "",
  ].join("\n");
}
