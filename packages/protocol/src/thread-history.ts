import type { ThreadEnding, ThreadFacts } from "./thread-record.ts";

/** How one thread ended. */
export type HistoryLine = Pick<
  ThreadFacts,
  "threadId" | "workflow" | "bundleHash" | "head" | "headSha256" | "stepCount" | "startedAt"
> &
  ThreadEnding & {
    /** Unix milliseconds. */
    finishedAt: number;
  };

/** What a store remembers of threads that ended, apart from the threads themselves. */
export type ThreadHistory = {
  /** Threads that ended and were not removed since, in no particular order. For a thread that ended twice, because
   *  a crash came between its line and its status, the last line. */
  ended: HistoryLine[];
  /** When a thread was last removed, Unix milliseconds; 0: never. */
  lastRemovalAt: number;
};
