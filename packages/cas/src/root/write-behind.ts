/** Rows of a root of files on their way to becoming files: a step is durable as rows, in one flush, and is
 *  written out as files behind the next ones, many together.
 *
 *  1. The rows are all there is of a step until its files are durable; then they go (`writeOut`).
 *  2. Hashes are kept, not bytes: what a process holds does not depend on what its roles say.
 *  3. It is done while nothing is published for a moment, since then a role is at work; once `MOST_BYTES`
 *     wait; and when somebody flushes. One at a time, in the order in which the blobs came.
 *  4. A failure harms no step. What waited waits on, to be tried again with what comes next.
 *  5. Nothing here holds the process up. What waits when it is killed stays rows, which are read like files,
 *     until somebody recovers them. */
import { type Failure, failureFrom } from "@uncaged/workflow-protocol";
import type { Blob } from "../node/blobs-of.ts";
import type { BlobPlaces } from "./blob-places.ts";
import { unflushedRows } from "./unflushed-rows.ts";
import { writeOut } from "./write-out.ts";

export type WriteBehind = {
  /** Begins to write when much waits; waits itself while what waited before that is not written yet. */
  makeRoom(): Promise<void>;
  /** Blobs that this process has stored as rows. */
  add(blobs: readonly Blob[]): void;
  /** Rows of a thread that its last owner left, back from this head. */
  recover(head: string): Promise<void>;
  /** Rows that anybody left. What threads that run now are about to write themselves, they find done. */
  recoverAll(): Promise<void>;
  /** Whether the blob waits to be written, and so is a row most likely. */
  has(hash: string): boolean;
  /** Writes all that waits. Returns why that failed, or null; never rejects. */
  flush(): Promise<Failure | null>;
};

/** For a root where rows stay rows: nothing is ever written behind. */
export const NO_WRITE_BEHIND: WriteBehind = {
  makeRoom: async () => {},
  add: () => {},
  recover: async () => {},
  recoverAll: async () => {},
  has: () => true,
  flush: async () => null,
};

/** What waits before it is written though more keeps coming, each blob counted as a block of a file at least:
 *  1,024 short ones. More share a flush, but then they take longer than a step should have to wait. */
const MOST_BYTES = 4 * 1024 * 1024;
const BLOCK_BYTES = 4096;

/** `quietMs`: how long nothing is published before it is written. */
export function writeBehind(places: BlobPlaces, quietMs: number): WriteBehind {
  let waiting = new Set<string>();
  let bytes = 0;
  let mostBytes = MOST_BYTES;
  let last: Promise<Failure | null> = Promise.resolve(null);
  let timer: NodeJS.Timeout | null = null;

  const writeWaiting = async (): Promise<Failure | null> => {
    if (waiting.size === 0) return null;
    const underWay = waiting;
    const writtenBytes = bytes;
    waiting = new Set();
    bytes = 0;
    try {
      await writeOut(places, [...underWay]);
      mostBytes = MOST_BYTES;
      return null;
    } catch (thrown) {
      waiting = new Set([...underWay, ...waiting]);
      bytes += writtenBytes;
      // Not again with the very next step: the disk may be full for long.
      mostBytes = bytes + MOST_BYTES;
      return failureFrom(thrown, "STORAGE_FAILED");
    }
  };
  const flush = (): Promise<Failure | null> => {
    last = last.then(writeWaiting);
    return last;
  };
  const expect = (hash: string, length: number): void => {
    if (waiting.has(hash)) return;
    waiting.add(hash);
    bytes += Math.max(length, BLOCK_BYTES);
  };
  const whenQuiet = (): void => {
    timer ??= setTimeout(flush, quietMs).unref();
    timer.refresh();
  };
  const enqueue = (hashes: readonly string[]): void => {
    for (const hash of hashes) expect(hash, BLOCK_BYTES);
    whenQuiet();
  };
  return {
    async makeRoom() {
      if (bytes < mostBytes) return;
      const before = last;
      void flush();
      // Steps go on meanwhile, unless they are faster than the disk.
      await before;
    },
    add(blobs) {
      for (const blob of blobs) expect(blob.hash, blob.bytes.length);
      whenQuiet();
    },
    recover: async (head) => enqueue(await unflushedRows(places.table, head)),
    recoverAll: async () => enqueue(await places.table.list()),
    // What is being written may be a file by now, whose row is about to go.
    has: (hash) => waiting.has(hash),
    flush,
  };
}
