/** A table whose long rows are in a store of objects: the row says which copy has its bytes.
 *
 *  1. A copy is durable before a row names it, and its row is gone before it is deleted. A crash in between leaves a copy
 *     that no row names; `sweep` deletes it.
 *  2. A row names a copy of its own: whoever stores a blob again stores another copy, and his row names that. So whoever
 *     deletes a row can delete its copy, whatever others store meanwhile.
 *  3. A reader whose row was replaced before it fetched the copy reads the row again. */
import {
  type BigBlobCopy,
  type BigBlobs,
  type BlobRow,
  type BlobTable,
  failure,
  failureFrom,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { hashBytes, sha256Hex } from "../node/hash.ts";

/** `sweep` deletes copies that no row names and that were stored at this time or before (Unix milliseconds): long enough
 *  ago that nobody is still about to store their row. Returns how many. */
export type BigRows = BlobTable & { sweep(untilMs: number): Promise<number> };

/** `maxRowBytes`: longer rows are copies. */
export function withBigBlobs(
  table: BlobTable,
  { big, maxRowBytes }: { big: BigBlobs; maxRowBytes: number },
): BigRows {
  /** What a row stands for. `CAS_MISSING`, `CAS_CORRUPT`, `STORAGE_FAILED`. */
  const bytesOf = async ({ hash, bytes }: BlobRow): Promise<Uint8Array> => {
    const copy = copyIn(hash, bytes);
    if (copy === null) return bytes;
    const found = await big.get(copy);
    if (found !== null) return found;
    const now = await table.read(hash);
    if (now === null || Buffer.compare(now.bytes, bytes) === 0) throw missing(hash);
    return bytesOf({ hash, bytes: now.bytes });
  };
  /** Rows of the table are opaque to whoever compares them with bytes of his own. */
  const existingOf = async (row: BlobRow): Promise<BlobRow> => {
    try {
      const bytes = await bytesOf(row);
      return hashBytes(bytes) === row.hash ? { hash: row.hash, bytes } : row;
    } catch (thrown) {
      // A row without its bytes is damage, which its caller may replace by naming the row itself.
      const { code } = failureFrom(thrown, "INTERNAL");
      if (code === "CAS_MISSING" || code === "CAS_CORRUPT") return row;
      throw thrown;
    }
  };
  const copiesOf = async (hashes: readonly string[]): Promise<Map<string, BigBlobCopy>> => {
    const copies = new Map<string, BigBlobCopy>();
    for (const hash of hashes) {
      const row = await table.read(hash);
      const copy = row === null ? null : copyIn(hash, row.bytes);
      if (copy !== null) copies.set(hash, copy);
    }
    return copies;
  };
  const isNamed = async (copy: BigBlobCopy): Promise<boolean> => {
    const row = await table.read(copy.hash);
    return row !== null && copyIn(copy.hash, row.bytes)?.copy === copy.copy;
  };
  /** A write that had been done before, and only its answer was lost, does not replace anything: so rows are looked at.
   *  What cannot be deleted is swept. */
  const dropUnnamed = async (copies: Iterable<BigBlobCopy>): Promise<void> => {
    try {
      for (const copy of copies) if (!(await isNamed(copy))) await big.delete(copy);
    } catch {}
  };
  return {
    ...table,
    async write({ rows, replacing, move }) {
      const long = rows.filter(({ bytes }) => bytes.length > maxRowBytes);
      const stored = await Promise.all(
        long.map(({ hash, bytes }) => big.put(hash, sha256Hex(bytes), bytes)),
      );
      const copies = new Map(stored.map((copy) => [copy.hash, copy]));
      const written = rows.map((row) => {
        const copy = copies.get(row.hash);
        return copy === undefined ? row : { hash: row.hash, bytes: rowOf(copy) };
      });
      const bytesBy = new Map(rows.map(({ hash, bytes }) => [hash, bytes]));
      const over = [...replacing];
      const former: BigBlobCopy[] = [];
      while (true) {
        const done = await table.write({ rows: written, replacing: over, move });
        if (done.kind === "written") {
          await dropUnnamed(former);
          return done;
        }
        const differing: BlobRow[] = [];
        for (const row of done.existing) {
          const existing = await existingOf(row);
          const ours = bytesBy.get(row.hash);
          if (ours === undefined || Buffer.compare(existing.bytes, ours) !== 0) {
            differing.push(existing);
            continue;
          }
          // The same bytes in another copy, or in the row itself.
          over.push(row);
          const copy = copyIn(row.hash, row.bytes);
          if (copy !== null) former.push(copy);
        }
        if (differing.length > 0) {
          await dropUnnamed(copies.values());
          return { kind: "differs", existing: differing };
        }
      }
    },
    async read(hash) {
      const row = await table.read(hash);
      return row && { ...row, bytes: await bytesOf({ hash, bytes: row.bytes }) };
    },
    async readMany(hashes) {
      const rows = await table.readMany(hashes);
      const read = await Promise.all(
        // What cannot be had is left out; whoever needs it reads it alone, and is told why.
        rows.map(async (row) =>
          bytesOf(row).then(
            (bytes) => ({ hash: row.hash, bytes }),
            () => [],
          ),
        ),
      );
      return read.flat();
    },
    async delete(hash) {
      const copies = await copiesOf([hash]);
      await table.delete(hash);
      for (const copy of copies.values()) await big.delete(copy);
    },
    async purge(hashes, untilMs) {
      const copies = await copiesOf(hashes);
      const gone = await table.purge(hashes, untilMs);
      for (const hash of gone) {
        const copy = copies.get(hash);
        if (copy !== undefined) await big.delete(copy);
      }
      return gone;
    },
    async sweep(untilMs) {
      let swept = 0;
      for await (const copy of big.list(untilMs)) {
        if (await isNamed(copy)) continue;
        await big.delete(copy);
        swept += 1;
      }
      return swept;
    },
  };
}

/** No node begins with a zero byte. */
const MARK = "\0big ";
const ROW = /^\0big ([0-9a-f]{64}) ([0-9A-Z]+)\n$/u;

function rowOf({ sha256, copy }: BigBlobCopy): Uint8Array {
  return Buffer.from(`${MARK}${sha256} ${copy}\n`);
}

/** The copy that a row names; null: the row has its bytes itself. */
function copyIn(hash: string, bytes: Uint8Array): BigBlobCopy | null {
  if (bytes[0] !== 0 || bytes.length > 256) return null;
  const [, sha256, copy] = ROW.exec(Buffer.from(bytes).toString()) ?? [];
  return sha256 === undefined || copy === undefined ? null : { hash, sha256, copy };
}

function missing(hash: string): WorkflowError {
  return new WorkflowError(
    failure(
      "CAS_MISSING",
      `blob ${hash} is stored as an object, and the object is not there`,
      "restore the bucket, or check the whole store: uncaged-workflow cas fsck",
    ),
  );
}
