import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { keepPrivateSync, makeFolderSync, takeFromOthersSync } from "@uncaged/workflow-util";
import { openReadOnly } from "./open-read-only.ts";
import { BLOCKING_WAIT_MS, retryWhileBusy } from "./retry-while-busy.ts";
import { isWriteRefusal, sqliteFailed } from "./sqlite-failure.ts";

/** Opens an SQLite file, creating it and its folder if necessary, unless it `mustExist`; `prepare` sets it up before
 *  use. Processes that open a new one at the same time all succeed. An existing file that may only be read is opened for
 *  reading if `look` is given, which then replaces `prepare`. `busyTimeoutMs`: how long a statement waits inside SQLite, blocking this
 *  process. Throws `STORAGE_FAILED` for a file that is not a database, a full disk, or missing permissions. */
export async function openDatabase(
  file: string,
  {
    prepare,
    look = null,
    mustExist = false,
    busyTimeoutMs = BLOCKING_WAIT_MS,
  }: {
    prepare: (db: DatabaseSync) => void;
    look?: ((db: DatabaseSync) => void) | null;
    mustExist?: boolean;
    busyTimeoutMs?: number;
  },
): Promise<DatabaseSync> {
  // Loaded on demand: commands that touch no thread do not pay for it.
  const sqlite = await import("node:sqlite");
  // SQLite flushes the folder that contains its files; flushing the folder's own name is up to us.
  if (!mustExist) makeFolderSync(dirname(file));
  // SQLite creates files by the umask, and those beside one with its mode.
  for (const ending of ["-wal", "-shm"])
    if (existsSync(`${file}${ending}`)) keepPrivateSync(`${file}${ending}`);
  if (mustExist) takeFromOthersSync(file);
  else keepPrivateSync(file);
  const name = mustExist ? existing(file) : file;
  const openWith = (open: () => DatabaseSync, ready: (db: DatabaseSync) => void): DatabaseSync => {
    let db: DatabaseSync | null = null;
    try {
      db = open();
      ready(db);
      return db;
    } catch (cause) {
      db?.close();
      throw sqliteFailed(`cannot open ${file}`, cause);
    }
  };
  return retryWhileBusy(() => {
    try {
      return openWith(() => new sqlite.DatabaseSync(name, { timeout: busyTimeoutMs }), prepare);
    } catch (cause) {
      if (look === null || !isWriteRefusal(cause) || !existsSync(file)) throw cause;
      return openWith(() => openReadOnly(sqlite, file), look);
    }
  });
}

/** A name by which SQLite opens a file and never creates it (https://sqlite.org/uri.html). */
function existing(file: string): URL {
  const url = pathToFileURL(file);
  url.search = "?mode=rw";
  return url;
}
