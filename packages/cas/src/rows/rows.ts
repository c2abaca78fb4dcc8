/** Reads and writes valid blobs in a table, which itself knows nothing about hashes. */
import type { BlobRow, BlobTable, HeadMove, SignalKind } from "@uncaged/workflow-protocol";
import type { Blob } from "../node/blobs-of.ts";
import { hashBytes } from "../node/hash.ts";
import { checkedHash, collision } from "../node/store-failures.ts";
import { verifiedMany } from "../node/verified-many.ts";
import { verifiedText } from "../node/verified-text.ts";

/** Stores blobs, and moves a head with them. Returns the signals pending for the thread's owner. Throws
 *  `CAS_COLLISION`, and what moving a head throws; then nothing is stored. */
export async function writeRows(
  table: BlobTable,
  { blobs, move }: { blobs: readonly Blob[]; move: HeadMove | null },
): Promise<readonly SignalKind[]> {
  const replacing: BlobRow[] = [];
  while (true) {
    const done = await table.write({ rows: blobs, replacing, move });
    if (done.kind === "written") return done.signals;
    for (const row of done.existing) refuseSound(row);
    // Damage is repaired: these are the true bytes.
    replacing.push(...done.existing);
  }
}

/** A blob in the table, quarantined or not, re-hashed; null when there is none. Throws `CAS_CORRUPT`. Changes nothing.
 */
export async function readRow(
  table: BlobTable,
  hash: string,
): Promise<{ text: string; aside: boolean } | null> {
  const row = await table.read(hash);
  return row && { text: verifiedText(hash, bufferOf(row.bytes)), aside: row.aside };
}

/** The texts of those blobs that are in the table, not quarantined, and valid. */
export async function readManyRows(
  table: BlobTable,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  for (const hash of hashes) checkedHash(hash);
  const rows = new Map((await table.readMany(hashes)).map(({ hash, bytes }) => [hash, bytes]));
  return verifiedMany([...rows.keys()], (hash) => {
    const bytes = rows.get(hash);
    return bytes === undefined ? null : verifiedText(hash, bufferOf(bytes));
  });
}

/** Throws `CAS_COLLISION` when a table has different content under one of the hashes. */
export async function refuseCollisionsInRows(
  table: BlobTable,
  blobs: readonly Blob[],
): Promise<void> {
  for (const { hash, bytes } of blobs) {
    const row = await table.read(hash);
    if (row !== null && !bytes.equals(row.bytes)) refuseSound({ hash, bytes: row.bytes });
  }
}

function refuseSound({ hash, bytes }: BlobRow): void {
  if (hashBytes(bytes) === hash) throw collision(hash);
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
