import { contextBrief } from "@uncaged/workflow-execute";
import {
  type Failure,
  isThreadId,
  ok,
  PROCESS_TAG_ENV,
  type Result,
} from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { withThread } from "../command/with-engine.ts";

/** What a session started by a person for a thread must not forget. `UNCAGED_THREAD_ID` names the thread,
 *  `UNCAGED_ROLE` the role, if it works as one. Without a thread there is nothing to say, and a session run by the
 *  engine is told by the engine. Never fails: for a thread that cannot be read it says as much as is known. */
export async function context(io: Io): Promise<Result<Output, Failure>> {
  const threadId = io.env.UNCAGED_THREAD_ID ?? "";
  const text = isThreadId(threadId) && !io.env[PROCESS_TAG_ENV] ? await reminder(threadId, io) : "";
  return ok({ document: { text }, verbatim: text });
}

async function reminder(threadId: string, io: Io): Promise<string> {
  const brief = await withThread(io, threadId, async (engine, thread) =>
    ok(await contextBrief(engine, thread, io.env.UNCAGED_ROLE ?? null)),
  ).catch(() => null);
  return [
    `This session works for thread ${threadId}.`,
    ...(brief?.ok === true ? [brief.value] : []),
    `If you no longer know its task or what happened so far, run: uncaged-workflow thread context ${threadId}\n`,
  ].join("\n\n");
}
