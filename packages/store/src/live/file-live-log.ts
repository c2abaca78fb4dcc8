/** Live logs as files, one folder per thread. */
import { rm } from "node:fs/promises";
import type { LiveLog } from "@uncaged/workflow-protocol";
import { DEFAULT_BOUNDS, type LiveBounds } from "./bounds.ts";
import { MAX_LINE_BYTES } from "./live-line.ts";
import { listSegments, readEnd } from "./segment-files.ts";
import { type SegmentWriter, segmentWriter } from "./segment-writer.ts";

export function fileLiveLog(opts: {
  /** Absolute path of a thread's folder; throws `USAGE` for anything that is not a thread id. It is created on demand.
   */
  folder: (threadId: string) => string;
  /** Identifies the boot of this machine. */
  boot: () => string;
  bounds?: LiveBounds;
}): LiveLog {
  const { folder, boot, bounds = DEFAULT_BOUNDS } = opts;
  const writers = new Map<string, Set<SegmentWriter>>();
  return {
    writer: (lease) => {
      const { threadId } = lease;
      const open = writers.get(threadId) ?? new Set();
      writers.set(threadId, open);
      const onClose = (): void => {
        open.delete(writer);
        // Closed once more, it must not take away those who write by now.
        if (open.size === 0 && writers.get(threadId) === open) writers.delete(threadId);
      };
      const writer = segmentWriter(folder(threadId), lease, { bounds, boot, onClose });
      open.add(writer);
      return writer;
    },
    read: async function* (threadId, { after, until, signal }) {
      // Loaded on demand: commands that read no live log do not pay for the schemas.
      const { readSegments } = await import("./read-segments.ts");
      yield* readSegments(folder(threadId), { threadId, after, until, signal });
    },
    last: async (threadId) => {
      const path = folder(threadId);
      for (const name of listSegments(path).reverse()) {
        const end = readEnd(path, name, MAX_LINE_BYTES);
        if (end !== null) return end.last;
      }
      return 0;
    },
    flush: async (threadId) => {
      for (const writer of writers.get(threadId) ?? []) writer.flush();
    },
    remove: (threadId) => rm(folder(threadId), { recursive: true, force: true }),
    close: async () => {
      for (const open of writers.values()) for (const writer of open) writer.flush();
    },
  };
}
