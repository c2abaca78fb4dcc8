/** A place in one file of a live log. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { type LiveRecord, parseJson } from "@uncaged/workflow-protocol";
import { isErrno, storageFailed } from "@uncaged/workflow-util";
import { MAX_LINE_BYTES } from "./live-line.ts";
import type { Segment } from "./segment-files.ts";

/** Worked through without a pause for whoever else this process serves. */
const CHUNK_BYTES = 64 * 1024;
const LINE_FEED = 10;

export type SegmentCursor = {
  segment: Segment;
  /** Number of the newest event that was seen here; one before the first when none was. */
  last(): number;
  /** What has become readable since the last call; null: nothing. Lines that are no events are passed over. */
  next(): Promise<LiveRecord[] | null>;
  close(): Promise<void>;
};

/** Null when it is gone by now. It stays readable when it goes later. */
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
  // Only who reads a log pays for loading zod: every command that opens the index opens the log, too.
  const { liveRecordSchema } = await import("@uncaged/workflow-protocol/schemas");
  const { first } = segment.header;
  const lines = wholeLines(handle);
  let last = first - 1;
  /** Lines that could have been events; the header is none. */
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
        // Numbers have no hole, so a higher one than there are lines is none of ours.
        if (data.seq <= last || data.seq >= first + seen) continue;
        last = data.seq;
        records.push(data);
      }
      return records;
    },
    close: () => handle.close(),
  };
}

/** Lines with their end, as they come; null when there is nothing new. Of a line that is longer than any of ours
 *  only an empty one is left. */
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
