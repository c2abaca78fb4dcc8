import { removeThread } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { withThread } from "../with-engine.ts";

export async function remove(id: string, io: Io): Promise<Result<Output, Failure>> {
  return withThread(io, id, async (engine, thread) => {
    const { threadId } = thread;
    const removed = await removeThread(engine, thread);
    if (!removed.ok) return removed;
    return ok({
      document: { threadId, removed: true },
      human: () => `${threadId} is forgotten; its blobs go with the next: uncaged-workflow cas gc`,
    });
  });
}
