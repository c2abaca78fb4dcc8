import type { LiveLog, RootStore, ThreadStore } from "@uncaged/workflow-protocol";
import { debugLog, storagePaths } from "@uncaged/workflow-util";

/** The threads of a root, each released only after its last steps are in their final place and its agents' output can
 *  be read. So only a thread that is running, or whose runner was killed, can have steps in transit; and a reader that
 *  sees no runner and then reads has read everything.
 *
 *  A flush that fails does not fail the thread: its steps are durable. The failure goes to the thread's debug log, and
 *  its next owner, or `cas gc`, tries again. */
export function flushBeforeRelease(
  threads: ThreadStore,
  {
    root,
    cas,
    live,
  }: { root: string; cas: Pick<RootStore, "flush">; live: Pick<LiveLog, "flush"> },
): ThreadStore {
  const flush = async (threadId: string): Promise<void> => {
    await live.flush(threadId);
    const left = await cas.flush();
    if (left === null) return;
    const log = debugLog(storagePaths(root).debugLog(threadId), Date.now);
    log.write("D6T0WVQ9", `steps are not files yet: ${left.code}: ${left.message}`);
  };
  return {
    ...threads,
    release: async (request) => {
      await flush(request.threadId);
      return threads.release(request);
    },
    finish: async (request) => {
      await flush(request.threadId);
      return threads.finish(request);
    },
  };
}
