/** A position in one file of a live log. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { type LiveRecord, parseJson } from "@uncaged/workflow-protocol";
import { isErrno, storageFailed } from "@uncaged/workflow-util";
import { MAX_LINE_BYTES } from "./live-line.ts";
import type { Segment } from "./segment-files.ts";

/** Processed without yielding to other work in this process. */
const CHUNK_BYTES = 64 * 1024;
const LINE_FEED = 10;

export type SegmentCursor = {
  segment: Segment;
  /** Number of the newest event seen in this file; one less than the first when none was. */
  last(): number;
  /** What has become readable since the last call; null: nothing. Lines that are not events are skipped. */
  next(): Promise<LiveRecord[] | null>;
  close(): Promise<void>;
};

/** null when it is already gone. It stays readable if it is deleted later. */
export async function openSegment(
  folder: string,
  { segment, threadId }: { segment: Segment; threadId: string },
): Promise<SegmentCursor | null> {
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
  const path = join(folder, segment.file);
  let handle: FileHandle;
  try {
    handle = await open(path, flags);
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return null;
    throw storageFailed(`cannot read the live log ${path}`, cause);
  }
  // Only readers of a log pay for loading zod: every command that opens the index also opens the log.
  const { liveRecordSchema } = await import("@uncaged/workflow-protocol/schemas");
  const { first } = segment.header;
  const lines = wholeLines(handle);
  let last = first - 1;
  /** Lines that could have been events; the header is not counted. */
  let seen = -1;
  return {
    segment,
    last: () => last,
    next: async () => {
      const text = await lines();
      if (text === null) return null;
      const records: LiveRecord[] = [];
      for (const line of text) {
        seen += 1;
        const { data } = liveRecordSchema.safeParse(parseJson(line));
        if (data?.threadId !== threadId) continue;
        // Numbers have no gaps, so a number higher than the line count is not ours.
        if (data.seq <= last || data.seq >= first + seen) continue;
        last = data.seq;
        records.push(data);
      }
      return records;
    },
    close: () => handle.close(),
  };
}

/** Lines with their line ends, as they come; null when there is nothing new. A line longer than any of ours is replaced
 *  by an empty one. */
function wholeLines(handle: FileHandle): () => Promise<string[] | null> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let offset = 0;
  let begun: Buffer[] = [];
  let begunBytes = 0;
  return async () => {
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, offset);
    if (bytesRead === 0) return null;
    offset += bytesRead;
    const fresh = chunk.subarray(0, bytesRead);
    const end = fresh.lastIndexOf(LINE_FEED) + 1;
    const rest = Buffer.from(fresh.subarray(end));
    if (end === 0) {
      begunBytes += rest.length;
      begun = begunBytes > MAX_LINE_BYTES ? [] : [...begun, rest];
      return [];
    }
    const whole =
      begunBytes > MAX_LINE_BYTES ? cutFirst(fresh, end) : [...begun, fresh.subarray(0, end)];
    begun = [rest];
    begunBytes = rest.length;
    return Buffer.concat(whole).toString("utf8").split("\n").slice(0, -1);
  };
}

function cutFirst(fresh: Buffer, end: number): Buffer[] {
  return [fresh.subarray(fresh.indexOf(LINE_FEED), end)];
}
