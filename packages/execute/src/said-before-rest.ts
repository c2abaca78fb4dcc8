import type { LiveLog, ThreadStore } from "@uncaged/workflow-protocol";

/** The threads of a root, each of which comes to rest after what its agents said can be read: so whoever sees that
 *  nobody runs it, and then reads, has read all. */
export function saidBeforeRest(threads: ThreadStore, live: LiveLog): ThreadStore {
  return {
    ...threads,
    release: (request) => {
      live.flush(request.threadId);
      return threads.release(request);
    },
    finish: (request) => {
      live.flush(request.threadId);
      return threads.finish(request);
    },
  };
}
