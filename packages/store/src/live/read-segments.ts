/** Reads a thread's live log from its files. Their rules are in `segment-files.ts`.
 *
 *  1. The folder is listed after lines were read and before they are passed on: a claim that was made before they were
 *     written is then visible, and they are held back until its first number is known.
 *  2. A file is finished when it was read to its end after the next one was seen. */
import type { LiveItem, LiveRecord } from "@uncaged/workflow-protocol";
import { folderBell } from "./folder-bell.ts";
import { openSegment, type SegmentCursor } from "./segment-cursor.ts";
import {
  counting,
  isAfter,
  listSegments,
  readHeader,
  type Segment,
  type SegmentHeader,
} from "./segment-files.ts";

export type ReadOptions = {
  threadId: string;
  after: number;
  until: "end" | "aborted";
  signal: AbortSignal;
};

/** Throws `STORAGE_FAILED`. */
export async function* readSegments(
  folder: string,
  opts: ReadOptions,
): AsyncGenerator<LiveItem, void> {
  const bell = opts.until === "aborted" ? folderBell(folder, opts.signal) : null;
  const reading = startReading(folder, opts);
  try {
    while (!opts.signal.aborted) {
      const { items, more } = await reading.round();
      for (const item of items) {
        if (opts.signal.aborted) return;
        yield item;
      }
      if (more) continue;
      if (bell === null) return;
      await bell.rung();
    }
  } finally {
    bell?.close();
    await reading.close();
  }
}

/** `more`: there may be more already. */
type Round = { items: LiveItem[]; more: boolean };

function startReading(
  folder: string,
  { threadId, after, until }: ReadOptions,
): { round(): Promise<Round>; close(): Promise<void> } {
  const look = folderLook(folder);
  let cursor: SegmentCursor | null = null;
  /** Read, but not passed on yet (1). */
  let held: LiveRecord[] = [];
  let expected = after + 1;
  let nextWasSeen = false;
  let arrived = false;

  const moveTo = async (segments: readonly Segment[]): Promise<void> => {
    await cursor?.close();
    nextWasSeen = false;
    const segment = segments.findLast(({ header }) => header.first <= expected) ?? segments[0];
    cursor = segment === undefined ? null : await openSegment(folder, { segment, threadId });
  };

  const pass = (limit: number): LiveItem[] => {
    const items: LiveItem[] = [];
    for (const record of held) {
      if (record.seq >= limit) break;
      if (record.seq < expected) continue;
      if (record.seq > expected) {
        items.push({ type: "gap", threadId, from: expected, to: record.seq - 1 });
      }
      items.push(record);
      expected = record.seq + 1;
    }
    held = [];
    return items;
  };

  const round = async (): Promise<Round> => {
    const fresh = cursor === null ? null : await cursor.next();
    const { segments, claimed } = look();
    if (cursor === null) {
      await moveTo(segments);
      return { items: [], more: segments.length > 0 };
    }
    const here = cursor.segment;
    if (fresh !== null) held.push(...fresh);
    const later = segments.filter((segment) => isAfter(segment, here));
    const [next] = later;
    if (next === undefined && until === "aborted" && claimed(here))
      return { items: [], more: false };
    const items = pass(next?.header.first ?? Number.POSITIVE_INFINITY);
    if (fresh !== null) return { items, more: true };
    if (next !== undefined) {
      if (nextWasSeen) await moveTo(later);
      else nextWasSeen = true;
      return { items, more: true };
    }
    if (!arrived && cursor.last() < after) {
      // A different log with this name, which has fewer events.
      expected = 1;
      await moveTo(segments);
      arrived = true;
      return { items, more: true };
    }
    arrived = true;
    return { items, more: false };
  };

  return { round, close: async () => cursor?.close() };
}

type Look = {
  /** The files that count. */
  segments: Segment[];
  /** Whether an owner is about to start the file after this one. */
  claimed: (here: Segment) => boolean;
};

/** A header is read once: it does not change. */
function folderLook(folder: string): () => Look {
  const known = new Map<string, SegmentHeader>();
  return () => {
    const names = listSegments(folder);
    const headed = names.flatMap((name) => {
      const header = known.get(name.file) ?? readHeader(folder, name);
      if (header === null) return [];
      known.set(name.file, header);
      return [{ ...name, header }];
    });
    return {
      segments: counting(headed),
      claimed: (here) => names.some((name) => isAfter(name, here) && !known.has(name.file)),
    };
  };
}
