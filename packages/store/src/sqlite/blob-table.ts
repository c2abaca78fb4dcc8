import type { BlobRow, BlobTable, BlobWrite } from "@uncaged/workflow-protocol";
import { retryWhileBusy } from "../database/retry-while-busy.ts";
import { hashOfHex, NAME_AS_HEX } from "./blob-name.ts";
import {
  deleteRow,
  insertRow,
  presentRows,
  purgeRow,
  quarantineRow,
  readRow,
  readRows,
  replaceRow,
  restoreRow,
} from "./blob-rows.ts";
import type { Commit } from "./commit-queue.ts";
import { moveHead } from "./head-moves.ts";
import { integerOf, textOf } from "./thread-columns.ts";
import type { ThreadIndex } from "./thread-index.ts";

/** Rows per transaction of a sweep: concurrent writers wait a few milliseconds. */
const SWEEP_ROWS = 5_000;

/** The blobs of an open index. */
export function blobTable(index: ThreadIndex, commit: Commit): BlobTable {
  const sweep = async <T>(
    what: string,
    hashes: readonly string[],
    change: (part: readonly string[]) => T,
  ): Promise<T[]> => {
    const done: T[] = [];
    for (let at = 0; at < hashes.length; at += SWEEP_ROWS) {
      const part = hashes.slice(at, at + SWEEP_ROWS);
      done.push(await retryWhileBusy(() => index.transaction(what, () => change(part))));
    }
    return done;
  };
  return {
    write: (write) => commit(deedOf(write), () => writeRows(index, write)),
    read: (hash) =>
      retryWhileBusy(() => index.read(`read blob ${hash}`, () => readRow(index, hash))),
    readMany: (hashes) =>
      retryWhileBusy(() =>
        index.read(`read ${hashes.length} blobs`, () => readRows(index, hashes)),
      ),
    delete: (hash) => commit(`delete blob ${hash}`, () => deleteRow(index, hash)),
    list: () => retryWhileBusy(() => index.read("list blobs", () => listRows(index))),
    listAside: () => retryWhileBusy(() => index.read("list blobs aside", () => listAside(index))),
    present: (hashes) =>
      retryWhileBusy(() =>
        index.read(`look for ${hashes.length} blobs`, () => presentRows(index, hashes)),
      ),
    quarantine: async (hashes, nowMs) => {
      const askedAt = performance.now();
      const times = await sweep("set blobs aside", hashes, (part) => {
        // Read only now that nobody else writes, because we may have waited for the lock.
        const sinceMs = Math.ceil(nowMs + performance.now() - askedAt);
        for (const hash of part) quarantineRow(index, hash, sinceMs);
        return sinceMs;
      });
      return times.at(-1) ?? nowMs;
    },
    restore: async (hashes) => {
      await sweep("bring blobs back", hashes, (part) => {
        for (const hash of part) restoreRow(index, hash);
      });
    },
    purge: async (hashes, untilMs) => {
      const gone = await sweep("delete blobs", hashes, (part) =>
        part.filter((hash) => purgeRow(index, hash, untilMs)),
      );
      return gone.flat();
    },
    shrink: () => retryWhileBusy(() => shrink(index)),
  };
}

type Write = Parameters<BlobTable["write"]>[0];

function deedOf({ rows, move }: Write): string {
  return move === null ? `store ${rows.length} blobs` : `publish a step of thread ${move.threadId}`;
}

/** The head moves with the rows or not at all: a refused move throws, and rolls back the rows. */
function writeRows(index: ThreadIndex, { rows, replacing, move }: Write): BlobWrite {
  const damaged = new Map(replacing.map(({ hash, bytes }) => [hash, bytes]));
  // Nearly always all of them are new, and nothing is looked up.
  const known = rows.filter((row) => !insertRow(index, row));
  const existing = known.flatMap((row) => differing(index, row, damaged.get(row.hash) ?? null));
  if (existing.length > 0) {
    for (const row of rows) if (!known.includes(row)) deleteRow(index, row.hash);
    return { kind: "differs", existing };
  }
  for (const row of known) {
    if (damaged.has(row.hash)) replaceRow(index, row);
    restoreRow(index, row.hash);
  }
  return { kind: "written", signals: move === null ? [] : moveHead(index, move) };
}

/** The different bytes under a row's name, unless they are known to be damaged. */
function differing(index: ThreadIndex, row: BlobRow, damaged: Uint8Array | null): BlobRow[] {
  const existing = readRow(index, row.hash)?.bytes ?? row.bytes;
  if (same(existing, row.bytes)) return [];
  if (damaged !== null && same(existing, damaged)) return [];
  return [{ hash: row.hash, bytes: existing }];
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function listRows(index: ThreadIndex): string[] {
  const query = `SELECT ${NAME_AS_HEX} FROM blobs WHERE id NOT IN (SELECT id FROM asideBlobs)`;
  return index
    .sql(query)
    .all()
    .map((row) => hashOfHex(textOf(row, "hex")))
    .sort();
}

function listAside(index: ThreadIndex): { hash: string; sinceMs: number }[] {
  const query = `SELECT ${NAME_AS_HEX}, sinceMs FROM asideBlobs JOIN blobs USING (id)`;
  return index
    .sql(query)
    .all()
    .map((row) => ({ hash: hashOfHex(textOf(row, "hex")), sinceMs: integerOf(row, "sinceMs") }));
}

/** VACUUM writes the whole file to the log again; the checkpoint then truncates file and log. */
function shrink(index: ThreadIndex): void {
  index.read("shrink the index", () => {
    index.sql("VACUUM").run();
    index.sql("PRAGMA wal_checkpoint(TRUNCATE)").all();
  });
}
