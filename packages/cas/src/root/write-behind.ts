/** Write-behind of a root of files: a step becomes durable as rows, in one flush, and is written out as files later,
 *  many steps together.
 *
 *  1. The rows are the only copy of a step until its files are durable; then they are removed (`writeOut`).
 *  2. Hashes are queued, not bytes: a process's memory does not depend on what its roles say.
 *  3. Writing happens while nothing is published for a moment, because then a role is at work; once `MOST_BYTES` are
 *     queued; and on a flush. One batch at a time, in the order in which the blobs came.
 *  4. A failure does not affect any step. The queued blobs stay queued, and are tried again with the next ones.
 *  5. Nothing here keeps the process alive. What is queued when it is killed stays in rows, which are read like files,
 *     until somebody recovers them. */
import { type Failure, failureFrom } from "@uncaged/workflow-protocol";
import type { Blob } from "../node/blobs-of.ts";
import type { BlobPlaces } from "./blob-places.ts";
import { unflushedRows } from "./unflushed-rows.ts";
import { writeOut } from "./write-out.ts";

export type WriteBehind = {
  /** Starts writing when much is queued; waits itself while the previous batch is not written yet. */
  makeRoom(): Promise<void>;
  /** Blobs that this process has stored as rows. */
  add(blobs: readonly Blob[]): void;
  /** Rows of a thread that its last owner left, from this head back. */
  recover(head: string): Promise<void>;
  /** Rows that anybody left. If running threads have written theirs meanwhile, those are skipped. */
  recoverAll(): Promise<void>;
  /** Whether the blob is queued, and therefore most likely a row. */
  has(hash: string): boolean;
  /** Writes everything that is queued. Returns why that failed, or null; never rejects. */
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

/** Bytes queued before writing starts although more keeps coming; each blob counts as at least one block of a file:
 *  1,024 short ones. Larger batches share a flush among more blobs, but take longer than a step should have to wait. */
const MOST_BYTES = 4 * 1024 * 1024;
const BLOCK_BYTES = 4096;

/** `quietMs`: how long nothing is published before writing starts. */
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
      // Not again with the very next step: the disk may be full for a while.
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
      // Steps continue meanwhile, unless they are faster than the disk.
      await before;
    },
    add(blobs) {
      for (const blob of blobs) expect(blob.hash, blob.bytes.length);
      whenQuiet();
    },
    recover: async (head) => enqueue(await unflushedRows(places.table, head)),
    recoverAll: async () => enqueue(await places.table.list()),
    // A blob being written may already be a file whose row is about to go.
    has: (hash) => waiting.has(hash),
    flush,
  };
}
