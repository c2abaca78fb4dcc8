import { lookForProcesses, type ProcessLook, removeThread } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import type { ThreadChoice } from "../several/choose-threads.ts";
import { type Act, serveThreads } from "../several/serve-threads.ts";

export async function remove(choice: ThreadChoice, io: Io): Promise<Result<Output, Failure>> {
  // Processes are listed once for all threads: that takes longer than the rest of a removal.
  let look: ProcessLook | null = null;
  const act: Act = async (engine, thread) => {
    const { threadId } = thread;
    look ??= lookForProcesses(engine.now());
    const removed = await removeThread(engine, thread, look);
    if (!removed.ok) return removed;
    return ok({
      document: { threadId, removed: true },
      human: () => `${threadId} is removed; its blobs are deleted by: uncaged-workflow cas gc`,
    });
  };
  return serveThreads(choice, { word: "remove", children: "apart", act }, io);
}
