/** The rows of single blobs. Each function runs inside its caller's transaction. */
import { type BlobRow, failure, WorkflowError } from "@uncaged/workflow-protocol";
import { hashOfName, NAME, nameOf } from "./blob-name.ts";
import { all, change, type Operation, one } from "./operation.ts";
import { integerOf, textOf } from "./thread-columns.ts";

/** False when there is already a row of that name, quarantined or not. */
export function* insertRow({ hash, bytes }: BlobRow): Operation<boolean> {
  return (yield* change(INSERT, { blob: nameOf(hash), bytes })) === 1;
}

export function* replaceRow({ hash, bytes }: BlobRow): Operation<void> {
  yield* change("UPDATE blobs SET bytes = :bytes WHERE name = :blob", {
    blob: nameOf(hash),
    bytes,
  });
}

export function* readRow(hash: string): Operation<{ bytes: Uint8Array; aside: boolean } | null> {
  const row = yield* one(READ, { blob: nameOf(hash) });
  if (row === undefined) return null;
  if (row.bytes instanceof Uint8Array) return { bytes: row.bytes, aside: row.aside !== null };
  throw invalidBytes(hash);
}

/** Those that are in the table and not quarantined, in one statement: acquiring and releasing the read lock takes as
 *  long as reading a row. */
export function* readRows(hashes: readonly string[]): Operation<BlobRow[]> {
  return (yield* all(READ_MANY, { names: namesOf(hashes) })).map(({ place, bytes }) => {
    const hash = hashes[Number(place)] ?? "";
    if (bytes instanceof Uint8Array) return { hash, bytes };
    throw invalidBytes(hash);
  });
}

/** Those that are in the table and not quarantined. */
export function* presentRows(hashes: readonly string[]): Operation<string[]> {
  const rows = yield* all(PRESENT, { names: namesOf(hashes) });
  return rows.map(({ place }) => hashes[Number(place)] ?? "");
}

/** For `json_each`, whose keys are then the positions of the hashes. */
function namesOf(hashes: readonly string[]): string {
  return `[${hashes.map(nameOf).join(",")}]`;
}

export function* deleteRow(hash: string): Operation<void> {
  yield* restoreRow(hash);
  yield* change("DELETE FROM blobs WHERE name = :blob", { blob: nameOf(hash) });
}

export function* restoreRow(hash: string): Operation<void> {
  yield* restoreRows([hash]);
}

export function* restoreRows(hashes: readonly string[]): Operation<void> {
  yield* change(BRING_BACK, { names: namesOf(hashes) });
}

/** A row that is already quarantined keeps its time. */
export function* quarantineRows(hashes: readonly string[], sinceMs: number): Operation<void> {
  yield* change(SET_ASIDE, { names: namesOf(hashes), sinceMs });
}

/** Deletes the rows that are still quarantined, and have been since `untilMs` or longer. Returns which. */
export function* purgeRows(hashes: readonly string[], untilMs: number): Operation<string[]> {
  const purged = yield* all(PURGE, { names: namesOf(hashes), untilMs });
  yield* change(FORGET_ASIDE, { ids: JSON.stringify(purged.map(({ id }) => id)) });
  return purged.map((row) => hashOfName(textOf(row, "blob")));
}

/** Sorted, without quarantined rows. */
export function* listRows(): Operation<string[]> {
  return (yield* all(LIST)).map((row) => hashOfName(textOf(row, "blob"))).sort();
}

export function* listAside(): Operation<{ hash: string; sinceMs: number }[]> {
  return (yield* all(LIST_ASIDE)).map((row) => ({
    hash: hashOfName(textOf(row, "blob")),
    sinceMs: integerOf(row, "sinceMs"),
  }));
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
  "INSERT INTO blobs (name, bytes) VALUES (:blob, :bytes) ON CONFLICT (name) DO NOTHING";

const READ = `
  SELECT bytes, (SELECT sinceMs FROM asideBlobs WHERE asideBlobs.id = blobs.id) AS aside
  FROM blobs WHERE name = :blob`;

// CROSS JOIN: SQLite looks the names up one by one.
const STANDING = `
  FROM json_each(:names) CROSS JOIN blobs
  WHERE name = CAST(value AS BIGINT) AND blobs.id NOT IN (SELECT id FROM asideBlobs)`;

const READ_MANY = `SELECT key AS place, bytes ${STANDING}`;
const PRESENT = `SELECT key AS place ${STANDING}`;

const NAMED = "name IN (SELECT CAST(value AS BIGINT) FROM json_each(:names))";

const BRING_BACK = `DELETE FROM asideBlobs WHERE id IN (SELECT id FROM blobs WHERE ${NAMED})`;

const SET_ASIDE = `
  INSERT INTO asideBlobs (id, sinceMs) SELECT id, :sinceMs FROM blobs WHERE ${NAMED}
  ON CONFLICT (id) DO NOTHING`;

const PURGE = `
  DELETE FROM blobs
  WHERE ${NAMED} AND id IN (SELECT id FROM asideBlobs WHERE sinceMs <= :untilMs)
  RETURNING id, ${NAME}`;

const FORGET_ASIDE = `
  DELETE FROM asideBlobs WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))`;

const LIST = `SELECT ${NAME} FROM blobs WHERE id NOT IN (SELECT id FROM asideBlobs)`;
const LIST_ASIDE = `SELECT ${NAME}, sinceMs FROM asideBlobs JOIN blobs USING (id)`;
