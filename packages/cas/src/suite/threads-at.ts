import type { HistoryLine, RunningThread, ThreadStore } from "@uncaged/workflow-protocol";

type ThreadsOfRoot = Pick<ThreadStore, "list" | "roots" | "history">;

/** Threads at these heads. `leasedSinceMs`: somebody has had a lease since then, Unix milliseconds. `lost`: heads of
 *  finished threads that only the history knows. */
export function threadsAt(
  heads: readonly string[] | (() => Promise<readonly string[]>),
  { leasedSinceMs, lost = [] }: { leasedSinceMs?: number; lost?: readonly string[] } = {},
): ThreadsOfRoot {
  return {
    roots: async () => {
      const all = typeof heads === "function" ? await heads() : heads;
      return all.map((head) => ({ threadId: head, startHash: head, head, headSha256: "" }));
    },
    // Of a record, a collection reads nothing but its lease.
    list: async ({ withLease }) =>
      withLease && leasedSinceMs !== undefined
        ? [{ status: "running", lease: { acquiredAt: leasedSinceMs } } as RunningThread]
        : [],
    history: async () => ({
      ended: lost.map((head) => ({ threadId: head, head }) as HistoryLine),
      lastRemovalAt: 0,
    }),
  };
}
