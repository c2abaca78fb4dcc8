/** Rows of a root of files on their way to becoming files: a step is durable as rows, in one flush, and is
 *  written out as files behind the next ones, many together.
 *
 *  1. The rows are all there is of a step until its files are durable; then they go (`writeOut`).
 *  2. Hashes are kept, not bytes: what a process holds does not depend on what its roles say.
 *  3. It is done while nothing is published for a moment, since then a role is at work; once `MOST_BYTES`
 *     wait; and when somebody settles. One at a time, in the order in which the blobs came.
 *  4. A failure harms no step. What waited waits on, to be tried again with what comes next.
 *  5. Nothing here holds the process up. What waits when it is killed stays rows, which are read like files,
 *     until somebody takes them along. */
import { type Failure, failureFrom } from "@uncaged/workflow-protocol";
import type { Blob } from "../blobs-of.ts";
import type { BlobPlaces } from "./root-store.ts";
import { writeOut } from "./write-out.ts";

export type WriteBehind = {
  /** Begins to write when much waits; waits itself while what waited before that is not written yet. */
  makeRoom(): Promise<void>;
  /** Blobs that this process has stored as rows. */
  add(blobs: readonly Blob[]): void;
  /** Rows that somebody else left. What is no row is passed over. */
  takeAlong(hashes: readonly string[]): void;
  /** Whether the blob waits to be written, and so is a row most likely. */
  has(hash: string): boolean;
  /** Writes all that waits. Gives why that failed, or null; never rejects. */
  settle(): Promise<Failure | null>;
};

/** What waits before it is written though more keeps coming, each blob counted as a block of a file at least:
 *  1,024 short ones. More share a flush, but then they take longer than a step should have to wait. */
const MOST_BYTES = 4 * 1024 * 1024;
const BLOCK_BYTES = 4096;

/** `quietMs`: how long nothing is published before it is written. */
export function writeBehind(places: BlobPlaces, quietMs: number): WriteBehind {
  let waiting = new Set<string>();
  let underWay: ReadonlySet<string> = new Set();
  let bytes = 0;
  let mostBytes = MOST_BYTES;
  let last: Promise<Failure | null> = Promise.resolve(null);
  let timer: NodeJS.Timeout | null = null;

  const writeWaiting = async (): Promise<Failure | null> => {
    if (waiting.size === 0) return null;
    underWay = waiting;
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
    } finally {
      underWay = new Set();
    }
  };
  const settle = (): Promise<Failure | null> => {
    last = last.then(writeWaiting);
    return last;
  };
  const expect = (hash: string, length: number): void => {
    if (waiting.has(hash)) return;
    waiting.add(hash);
    bytes += Math.max(length, BLOCK_BYTES);
  };
  const whenQuiet = (): void => {
    timer ??= setTimeout(settle, quietMs).unref();
    timer.refresh();
  };
  return {
    async makeRoom() {
      if (bytes < mostBytes) return;
      const before = last;
      void settle();
      // Steps go on meanwhile, unless they are faster than the disk.
      await before;
    },
    add(blobs) {
      for (const blob of blobs) expect(blob.hash, blob.bytes.length);
      whenQuiet();
    },
    takeAlong(hashes) {
      for (const hash of hashes) expect(hash, BLOCK_BYTES);
      whenQuiet();
    },
    has: (hash) => waiting.has(hash) || underWay.has(hash),
    settle,
  };
}
