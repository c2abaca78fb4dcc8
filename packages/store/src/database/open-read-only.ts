/** Reads a database where nothing may be written: a backup on a read-only disk, a root of another user.
 *
 *  A database with a log cannot be read without its `-shm`, and where that is missing SQLite would make one. So, in
 *  this order:
 *
 *  1. With a `-shm` that can be read it is opened as it is: whoever writes there is respected.
 *  2. Without, nobody has it open. If there is a log, the last changes stand in it: file and log are copied to where
 *     a `-shm` can be made.
 *  3. Without a log the file is all there is, and nothing changes it. */
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
    // What is open stays readable without its names.
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads a page: only then SQLite opens what it needs. */
function readable(db: DatabaseSync): DatabaseSync {
  try {
    db.prepare("PRAGMA user_version").get();
    return db;
  } catch (cause) {
    db.close();
    throw cause;
  }
}

/** With something in it. */
function isThere(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
