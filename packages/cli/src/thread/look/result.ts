import { threadResult } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { withThread } from "../../command/with-engine.ts";

/** What a thread returned, for a shell: a text exactly as it is, anything else as JSON on a line. */
export async function result(id: string, io: Io): Promise<Result<Output, Failure>> {
  return withThread(io, id, async (engine, thread) => {
    const returned = await threadResult(engine, thread);
    if (!returned.ok) return returned;
    const { value } = returned;
    return ok({
      document: { threadId: thread.threadId, result: value },
      verbatim: typeof value === "string" ? value : `${JSON.stringify(value)}\n`,
    });
  });
}
