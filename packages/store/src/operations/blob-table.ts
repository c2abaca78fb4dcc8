import type { BlobRow, BlobTable, BlobWrite } from "@uncaged/workflow-protocol";
import {
  deleteRow,
  insertRow,
  listAside,
  listRows,
  presentRows,
  purgeRows,
  quarantineRows,
  readRow,
  readRows,
  replaceRow,
  restoreRow,
  restoreRows,
} from "./blob-rows.ts";
import { moveHead } from "./head-moves.ts";
import { changing, type Deed, type Operation, type Perform, reading } from "./operation.ts";

/** Rows per transaction of a sweep: concurrent writers wait a few milliseconds. */
const SWEEP_ROWS = 5_000;

/** `commit` carries out changes that many threads make at every step. */
export function blobTable({
  perform,
  commit,
  shrink,
}: {
  perform: Perform;
  commit: Perform;
  shrink: () => Promise<void>;
}): BlobTable {
  const sweep = async <T>(
    what: string,
    hashes: readonly string[],
    operation: (part: readonly string[]) => Operation<T>,
  ): Promise<T[]> => {
    const done: T[] = [];
    for (let at = 0; at < hashes.length; at += SWEEP_ROWS) {
      const part = hashes.slice(at, at + SWEEP_ROWS);
      done.push(await perform(changing(what, () => operation(part))));
    }
    return done;
  };
  return {
    write: (write) => commit(writeBlobs(write)),
    read: (hash) => perform(reading(`read blob ${hash}`, () => readRow(hash))),
    readMany: (hashes) => perform(reading(`read ${hashes.length} blobs`, () => readRows(hashes))),
    delete: (hash) => commit(changing(`delete blob ${hash}`, () => deleteRow(hash))),
    list: () => perform(reading("list blobs", listRows)),
    listAside: () => perform(reading("list blobs aside", listAside)),
    present: (hashes) =>
      perform(reading(`look for ${hashes.length} blobs`, () => presentRows(hashes))),
    quarantine: async (hashes, nowMs) => {
      const askedAt = performance.now();
      const times = await sweep("set blobs aside", hashes, function* (part) {
        // Read only now that nobody else writes, because we may have waited for the lock.
        const sinceMs = Math.ceil(nowMs + performance.now() - askedAt);
        yield* quarantineRows(part, sinceMs);
        return sinceMs;
      });
      return times.at(-1) ?? nowMs;
    },
    restore: async (hashes) => {
      await sweep("bring blobs back", hashes, restoreRows);
    },
    purge: async (hashes, untilMs) => {
      const gone = await sweep("delete blobs", hashes, (part) => purgeRows(part, untilMs));
      return gone.flat();
    },
    shrink,
  };
}

type Write = Parameters<BlobTable["write"]>[0];

function writeBlobs(write: Write): Deed<BlobWrite> {
  const { rows, move } = write;
  const what =
    move === null ? `store ${rows.length} blobs` : `publish a step of thread ${move.threadId}`;
  return changing(what, () => writeRows(write));
}

/** The head moves with the rows or not at all: a refused move throws, and rolls back the rows. */
function* writeRows({ rows, replacing, move }: Write): Operation<BlobWrite> {
  const damaged = new Map(replacing.map(({ hash, bytes }) => [hash, bytes]));
  // Nearly always all of them are new, and nothing is looked up.
  const known: BlobRow[] = [];
  for (const row of rows) if (!(yield* insertRow(row))) known.push(row);
  const existing: BlobRow[] = [];
  for (const row of known) existing.push(...(yield* differing(row, damaged.get(row.hash) ?? null)));
  if (existing.length > 0) {
    for (const row of rows) if (!known.includes(row)) yield* deleteRow(row.hash);
    return { kind: "differs", existing };
  }
  for (const row of known) {
    if (damaged.has(row.hash)) yield* replaceRow(row);
    yield* restoreRow(row.hash);
  }
  return { kind: "written", signals: move === null ? [] : yield* moveHead(move) };
}

/** The different bytes under a row's name, unless they are known to be damaged. */
function* differing(row: BlobRow, damaged: Uint8Array | null): Operation<BlobRow[]> {
  const existing = (yield* readRow(row.hash))?.bytes ?? row.bytes;
  if (same(existing, row.bytes)) return [];
  if (damaged !== null && same(existing, damaged)) return [];
  return [{ hash: row.hash, bytes: existing }];
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
