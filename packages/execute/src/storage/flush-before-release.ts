import type { LiveLog, RootStore, ThreadStore } from "@uncaged/workflow-protocol";
import { debugLog, storagePaths } from "@uncaged/workflow-util";

/** The threads of a root, each of which is released only when its last steps are where they come to rest, and when
 *  what its agents said can be read. So only a thread that is run, or whose runner was killed, has steps on their
 *  way; and whoever sees that nobody runs a thread, and then reads, has read all.
 *
 *  That the flush fails is no failure of the thread: its steps are durable. It is noted in its debug log, and
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
    live.flush(threadId);
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
