import type { RootStore } from "@uncaged/workflow-cas";
import type { ThreadStore } from "@uncaged/workflow-protocol";
import { debugLog, storagePaths } from "@uncaged/workflow-util";

/** The threads of a root whose steps are written out as files behind the next ones: before a thread comes to
 *  rest, or the index is closed, the last ones are. So only a thread that is run, or whose runner was killed,
 *  has steps that are not files yet. `behind` null: nothing is written behind.
 *
 *  That it fails is no failure of the thread: its steps are durable as rows. It is noted in its debug log, and
 *  its next owner, or `cas gc`, tries again. */
export function restInFiles(
  threads: ThreadStore,
  { root, behind }: { root: string; behind: RootStore["behind"] },
): ThreadStore {
  if (behind === null) return threads;
  const settle = async (threadId: string): Promise<void> => {
    const left = await behind.settle();
    if (left === null) return;
    const log = debugLog(storagePaths(root).debugLog(threadId), Date.now);
    log.write("D6T0WVQ9", `steps are not files yet: ${left.code}: ${left.message}`);
  };
  return {
    ...threads,
    release: async (request) => {
      await settle(request.threadId);
      return threads.release(request);
    },
    finish: async (request) => {
      await settle(request.threadId);
      return threads.finish(request);
    },
    close: async () => {
      await behind.settle();
      return threads.close();
    },
  };
}
