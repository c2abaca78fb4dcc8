/** Events of one thread on their way into its log, in the order in which they were accepted.
 *
 *  1. One batch at a time, so the order stays. What comes meanwhile is in the next one.
 *  2. Bounded: while the server is slow or away, the oldest go first. They keep their numbers, so readers see a gap.
 *  3. An owner's events after the first one of his successor are dropped: here if both are in this process, else by the
 *     table. */

export type LiveBatch = { fence: number; lines: readonly string[]; dropped: number };

export type LiveQueue = {
  add(fence: number, line: string): void;
  /** Resolves when all that was added is written or lost. */
  drain(): Promise<void>;
  /** Nothing is left to tell readers. */
  isEmpty(): boolean;
};

/** Long enough for a flood of output to become few statements. */
const EVERY_MS = 100;

export function liveQueue(
  write: (batch: LiveBatch) => Promise<void>,
  { batchBytes, mostBytes }: { batchBytes: number; mostBytes: number },
): LiveQueue {
  const waiting: { fence: number; line: string }[] = [];
  let bytes = 0;
  let dropped = 0;
  let newest = 0;
  let timer: NodeJS.Timeout | null = null;
  let underWay: Promise<void> | null = null;

  const next = (): LiveBatch | null => {
    const fence = waiting[0]?.fence;
    if (fence === undefined) return null;
    let length = 0;
    const end = waiting.findIndex((each) => {
      length += each.line.length;
      return each.fence !== fence || (length > batchBytes && each !== waiting[0]);
    });
    const lines = waiting.splice(0, end < 0 ? waiting.length : end).map(({ line }) => line);
    for (const line of lines) bytes -= line.length;
    const batch = { fence, lines, dropped };
    dropped = 0;
    return batch;
  };
  const writeAll = async (): Promise<void> => {
    for (let batch = next(); batch !== null; batch = next()) {
      try {
        await write(batch);
      } catch {
        // For display only: a run does not end for it.
        dropped += batch.dropped + batch.lines.length;
      }
    }
  };
  const drain = async (): Promise<void> => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    underWay ??= writeAll().finally(() => {
      underWay = null;
    });
    await underWay;
  };
  return {
    add(fence, line) {
      if (fence < newest) return;
      newest = fence;
      waiting.push({ fence, line });
      bytes += line.length;
      while (bytes > mostBytes && waiting.length > 1) {
        bytes -= waiting.shift()?.line.length ?? 0;
        dropped += 1;
      }
      timer ??= setTimeout(() => void drain(), EVERY_MS).unref();
    },
    async drain() {
      while (waiting.length > 0 || underWay !== null) await drain();
    },
    isEmpty: () => waiting.length === 0 && underWay === null && dropped === 0,
  };
}
