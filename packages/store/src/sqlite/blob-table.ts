import type { BlobRow, BlobTable, BlobWrite } from "@uncaged/workflow-protocol";
import { hashOfHex, NAME_AS_HEX } from "./blob-name.ts";
import {
  bringRowBack,
  deleteRow,
  hasRow,
  insertRow,
  purgeRow,
  readRow,
  replaceRow,
  setRowAside,
} from "./blob-rows.ts";
import type { Commit } from "./commit-queue.ts";
import { moveHead } from "./head-moves.ts";
import { withPatience } from "./patience.ts";
import { integerOf, textOf } from "./thread-columns.ts";
import type { ThreadIndex } from "./thread-index.ts";

/** Rows that one transaction of a sweep changes: writers beside it wait a few milliseconds. */
const SWEEP_ROWS = 5_000;

/** The blobs of an open index. */
export function blobTable(index: ThreadIndex, commit: Commit): BlobTable {
  const sweep = async (
    what: string,
    hashes: readonly string[],
    change: (part: readonly string[]) => void,
  ): Promise<void> => {
    for (let at = 0; at < hashes.length; at += SWEEP_ROWS) {
      const part = hashes.slice(at, at + SWEEP_ROWS);
      await withPatience(() => index.change(what, () => change(part)));
    }
  };
  return {
    write: (write) => commit(deedOf(write), () => writeRows(index, write)),
    read: (hash) => withPatience(() => index.look(`read blob ${hash}`, () => readRow(index, hash))),
    delete: (hash) => commit(`delete blob ${hash}`, () => deleteRow(index, hash)),
    list: () => withPatience(() => index.look("list blobs", () => listRows(index))),
    listAside: () => withPatience(() => index.look("list blobs aside", () => listAside(index))),
    setAside: (hashes, now) =>
      sweep("set blobs aside", hashes, (part) => {
        const sinceMs = now();
        for (const hash of part) setRowAside(index, hash, sinceMs);
      }),
    bringBack: (hashes) =>
      sweep("bring blobs back", hashes, (part) => {
        for (const hash of part) bringRowBack(index, hash);
      }),
    purge: (hashes, untilMs) =>
      sweep("delete blobs", hashes, (part) => {
        for (const hash of part) purgeRow(index, hash, untilMs);
      }),
    exclusively: (section) => {
      const held = {
        has: (hash: string) => hasRow(index, hash),
        remove: (hash: string) => deleteRow(index, hash),
      };
      return withPatience(() => index.change("move blobs", () => section(held)));
    },
    shrink: () => withPatience(() => shrink(index)),
  };
}

type Write = Parameters<BlobTable["write"]>[0];

function deedOf({ rows, move }: Write): string {
  return move === null ? `store ${rows.length} blobs` : `publish a step of thread ${move.threadId}`;
}

/** All rows are looked at before the first is stored. The head moves with them or not at all: a move
 *  that is refused throws, and takes the rows back. */
function writeRows(index: ThreadIndex, { rows, replacing, move }: Write): BlobWrite {
  const damaged = new Map(replacing.map(({ hash, bytes }) => [hash, bytes]));
  const plans = rows.map((row) => planOf(index, row, damaged.get(row.hash) ?? null));
  const standing = plans.flatMap((plan) => plan.differing ?? []);
  if (standing.length > 0) return { kind: "differs", standing };
  for (const plan of plans) plan.carryOut();
  return { kind: "written", signals: move === null ? [] : moveHead(index, move) };
}

/** `differing`: the other bytes that stand under the name. */
type Plan = { differing: BlobRow | null; carryOut: () => void };

function planOf(index: ThreadIndex, row: BlobRow, damaged: Uint8Array | null): Plan {
  const { hash, bytes } = row;
  const standing = readRow(index, hash);
  if (standing === null) return { differing: null, carryOut: () => insertRow(index, row) };
  const bringBack = (): void => {
    if (standing.aside) bringRowBack(index, hash);
  };
  if (same(standing.bytes, bytes)) return { differing: null, carryOut: bringBack };
  const replace = (): void => {
    replaceRow(index, row);
    bringBack();
  };
  const known = damaged !== null && same(standing.bytes, damaged);
  return { differing: known ? null : { hash, bytes: standing.bytes }, carryOut: replace };
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

/** VACUUM writes the whole file anew into the log; the checkpoint then cuts file and log. */
function shrink(index: ThreadIndex): void {
  index.look("shrink the index", () => {
    index.sql("VACUUM").run();
    index.sql("PRAGMA wal_checkpoint(TRUNCATE)").all();
  });
}
