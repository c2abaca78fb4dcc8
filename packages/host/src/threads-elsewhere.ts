/** Threads that this machine was refused because their files are on another: it does not ask for them at each look. */
import type { RunnerReport } from "@uncaged/workflow-execute";

/** Meanwhile the other machine may have pushed them. */
const ASK_AGAIN_MS = 30_000;

export type ThreadsElsewhere = {
  has(threadId: string): boolean;
  all(): string[];
  /** Remembers a thread whose start was refused for that reason. Returns whether it was. */
  note(threadId: string, report: RunnerReport | null): boolean;
};

export function threadsElsewhere(
  monotonicMs: () => number = () => performance.now(),
): ThreadsElsewhere {
  const askAt = new Map<string, number>();
  const has = (threadId: string): boolean => {
    const isWaiting = (askAt.get(threadId) ?? 0) > monotonicMs();
    if (!isWaiting) askAt.delete(threadId);
    return isWaiting;
  };
  return {
    has,
    all: () => [...askAt.keys()].filter(has),
    note: (threadId, report) => {
      const isElsewhere =
        report?.kind === "failed" && report.failure.code === "WORKSPACE_ELSEWHERE";
      if (isElsewhere) askAt.set(threadId, monotonicMs() + ASK_AGAIN_MS);
      return isElsewhere;
    },
  };
}
