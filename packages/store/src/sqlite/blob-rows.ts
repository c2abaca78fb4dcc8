/** The rows of single blobs. Each function runs inside its caller's transaction. */
import { type BlobRow, failure, WorkflowError } from "@uncaged/workflow-protocol";
import { nameOf } from "./blob-name.ts";
import type { ThreadIndex } from "./thread-index.ts";

/** False when there is already a row of that name, quarantined or not. */
export function insertRow(index: ThreadIndex, { hash, bytes }: BlobRow): boolean {
  return index.sql(INSERT).run({ name: nameOf(hash), bytes }).changes === 1;
}

export function replaceRow(index: ThreadIndex, { hash, bytes }: BlobRow): void {
  index.sql("UPDATE blobs SET bytes = :bytes WHERE name = :name").run({
    name: nameOf(hash),
    bytes,
  });
}

export function readRow(
  index: ThreadIndex,
  hash: string,
): { bytes: Uint8Array; aside: boolean } | null {
  const row = index.sql(READ).get({ name: nameOf(hash) });
  if (row === undefined) return null;
  if (row.bytes instanceof Uint8Array) return { bytes: row.bytes, aside: row.aside === 1 };
  throw invalidBytes(hash);
}

/** Those that are in the table and not quarantined, in one statement: acquiring and releasing the read lock takes as
 *  long as reading a row. */
export function readRows(index: ThreadIndex, hashes: readonly string[]): BlobRow[] {
  return index
    .sql(READ_MANY)
    .all({ names: namesOf(hashes) })
    .map(({ place, bytes }) => {
      const hash = hashes[Number(place)] ?? "";
      if (bytes instanceof Uint8Array) return { hash, bytes };
      throw invalidBytes(hash);
    });
}

/** Those that are in the table and not quarantined. */
export function presentRows(index: ThreadIndex, hashes: readonly string[]): string[] {
  const rows = index.sql(STANDING).all({ names: namesOf(hashes) });
  return rows.map(({ place }) => hashes[Number(place)] ?? "");
}

/** For `json_each`, whose keys are then the positions of the hashes. */
function namesOf(hashes: readonly string[]): string {
  return `[${hashes.map(nameOf).join(",")}]`;
}

export function deleteRow(index: ThreadIndex, hash: string): void {
  restoreRow(index, hash);
  index.sql("DELETE FROM blobs WHERE name = :name").run({ name: nameOf(hash) });
}

export function restoreRow(index: ThreadIndex, hash: string): void {
  index.sql(BRING_BACK).run({ name: nameOf(hash) });
}

/** A row that is already quarantined keeps its time. */
export function quarantineRow(index: ThreadIndex, hash: string, sinceMs: number): void {
  index.sql(SET_ASIDE).run({ name: nameOf(hash), sinceMs });
}

/** Deletes a row that is still quarantined, and has been since `untilMs` or longer; false when there is none. */
export function purgeRow(index: ThreadIndex, hash: string, untilMs: number): boolean {
  const name = nameOf(hash);
  if (index.sql(PURGE).run({ name, untilMs }).changes !== 1) return false;
  index.sql("DELETE FROM blobs WHERE name = :name").run({ name });
  return true;
}

function invalidBytes(hash: string): WorkflowError {
  return new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `the index has no valid bytes for blob ${hash}`,
      "the index was changed by another program; restore it from a backup",
    ),
  );
}

const INSERT =
  "INSERT INTO blobs (name, bytes) VALUES (:name, :bytes) ON CONFLICT (name) DO NOTHING";

const READ = `
  SELECT bytes, id IN (SELECT id FROM asideBlobs) AS aside FROM blobs WHERE name = :name`;

const READ_MANY = `
  SELECT key AS place, bytes FROM json_each(:names) CROSS JOIN blobs ON name = value
  WHERE blobs.id NOT IN (SELECT id FROM asideBlobs)`;

const STANDING = `
  SELECT key AS place FROM json_each(:names) CROSS JOIN blobs ON name = value
  WHERE blobs.id NOT IN (SELECT id FROM asideBlobs)`;

const ID = "(SELECT id FROM blobs WHERE name = :name)";
const BRING_BACK = `DELETE FROM asideBlobs WHERE id = ${ID}`;
const PURGE = `DELETE FROM asideBlobs WHERE id = ${ID} AND sinceMs <= :untilMs`;
const SET_ASIDE = `
  INSERT INTO asideBlobs (id, sinceMs) SELECT id, :sinceMs FROM blobs WHERE name = :name
  ON CONFLICT (id) DO NOTHING`;
