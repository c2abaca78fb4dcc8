/** Reads a database where nothing may be written: a backup on a read-only disk, another user's root.
 *
 *  A database with a log cannot be read without its `-shm`, and SQLite would create a missing one. So, in this order:
 *
 *  1. With a readable `-shm` it is opened as it is, so concurrent writers are respected.
 *  2. Without one, nobody has it open. If there is a log, it contains the last changes: file and log are copied to
 *     where a `-shm` can be created.
 *  3. Without a log the file is complete, and nothing changes it. */
import { copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";

type Sqlite = typeof import("node:sqlite");

/** Throws what SQLite and the file system throw. */
export function openReadOnly(sqlite: Sqlite, file: string): DatabaseSync {
  if (isThere(`${file}-shm`)) return readable(new sqlite.DatabaseSync(file, { readOnly: true }));
  if (isThere(`${file}-wal`)) return openCopy(sqlite, file);
  const url = pathToFileURL(file);
  url.search = "?immutable=1";
  return readable(new sqlite.DatabaseSync(url, { readOnly: true }));
}

function openCopy(sqlite: Sqlite, file: string): DatabaseSync {
  const folder = mkdtempSync(join(tmpdir(), "uwf-index-"));
  try {
    const copy = join(folder, "index.db");
    copyFileSync(file, copy);
    copyFileSync(`${file}-wal`, `${copy}-wal`);
    const db = readable(new sqlite.DatabaseSync(copy));
    db.exec("PRAGMA query_only = ON");
    return db;
  } finally {
    // What is open stays readable after its names are deleted.
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads a page: only then SQLite opens the files it needs. */
function readable(db: DatabaseSync): DatabaseSync {
  try {
    db.prepare("PRAGMA user_version").get();
    return db;
  } catch (cause) {
    db.close();
    throw cause;
  }
}

/** Whether it exists and is not empty. */
function isThere(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
