/** Live logs in memory, for tests: the port's contract, and nothing that outlives the process. */
import type { LiveLog } from "@uncaged/workflow-protocol";
import { DEFAULT_BOUNDS, type LiveBounds } from "./bounds.ts";
import { liveLine } from "./live-line.ts";

type Kept = { seq: number; line: string };
type ThreadLog = { kept: Kept[]; bytes: number; last: number; fence: number };

export function memoryLiveLog(bounds: LiveBounds = DEFAULT_BOUNDS): LiveLog {
  const logs = new Map<string, ThreadLog>();
  const waiting = new Set<() => void>();
  const logOf = (threadId: string): ThreadLog => {
    const log = logs.get(threadId) ?? { kept: [], bytes: 0, last: 0, fence: 0 };
    logs.set(threadId, log);
    return log;
  };
  const ring = (): void => {
    for (const wake of waiting) wake();
    waiting.clear();
  };
  return {
    writer: ({ threadId, fence }) => {
      let closed = false;
      return {
        append: (event) => {
          const log = logOf(threadId);
          const line = liveLine(event);
          if (closed || line === null || fence < log.fence) return;
          log.fence = fence;
          log.last += 1;
          log.kept.push({ seq: log.last, line });
          log.bytes += line.length;
          while (log.bytes > bounds.totalBytes) log.bytes -= log.kept.shift()?.line.length ?? 0;
          ring();
        },
        close: () => {
          closed = true;
        },
      };
    },
    read: async function* (threadId, { after, until, signal }) {
      const { liveRecordSchema } = await import("@uncaged/workflow-protocol/schemas");
      let expected = after > logOf(threadId).last ? 1 : after + 1;
      signal.addEventListener("abort", ring);
      try {
        while (!signal.aborted) {
          const { kept } = logOf(threadId);
          const found = kept[Math.max(0, expected - (kept[0]?.seq ?? 0))];
          if (found !== undefined) {
            const { seq } = found;
            if (seq > expected) yield { type: "gap", threadId, from: expected, to: seq - 1 };
            expected = seq + 1;
            yield liveRecordSchema.parse({ seq, ...JSON.parse(found.line) });
          } else if (until === "end") {
            return;
          } else {
            const { promise, resolve } = Promise.withResolvers<void>();
            waiting.add(resolve);
            await promise;
          }
        }
      } finally {
        signal.removeEventListener("abort", ring);
      }
    },
    last: async (threadId) => logOf(threadId).last,
    flush: async () => {},
    remove: async (threadId) => {
      logs.delete(threadId);
    },
    close: async () => {},
  };
}
