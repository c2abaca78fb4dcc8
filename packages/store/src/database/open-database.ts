import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { keepPrivateSync, makeFolderSync } from "@uncaged/workflow-util";
import { openReadOnly } from "./open-read-only.ts";
import { BLOCKING_WAIT_MS, retryWhileBusy } from "./retry-while-busy.ts";
import { isWriteRefusal, sqliteFailed } from "./sqlite-failure.ts";

/** Opens an SQLite file, making it and its folder if need be; `prepare` brings it into shape before
 *  use. Processes that open a fresh one at the same time all succeed. A file that is there and may only be
 *  read is opened for reading if there is a `look`, which then takes the place of `prepare`. `busyTimeoutMs`: how
 *  long a statement waits inside SQLite, which holds this process up. Throws `STORAGE_FAILED` for a file that is no
 *  database, a full disk, missing rights. */
export async function openDatabase(
  file: string,
  {
    prepare,
    look = null,
    busyTimeoutMs = BLOCKING_WAIT_MS,
  }: {
    prepare: (db: DatabaseSync) => void;
    look?: ((db: DatabaseSync) => void) | null;
    busyTimeoutMs?: number;
  },
): Promise<DatabaseSync> {
  // Loaded when needed: commands that touch no thread do not pay for it.
  const sqlite = await import("node:sqlite");
  // SQLite flushes the folder that its files stand in; the folder's own name is ours to flush.
  makeFolderSync(dirname(file));
  // SQLite makes files as the umask says, and those beside one with the mode of that.
  for (const ending of ["-wal", "-shm"])
    if (existsSync(`${file}${ending}`)) keepPrivateSync(`${file}${ending}`);
  keepPrivateSync(file);
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
      return openWith(() => new sqlite.DatabaseSync(file, { timeout: busyTimeoutMs }), prepare);
    } catch (cause) {
      if (look === null || !isWriteRefusal(cause) || !existsSync(file)) throw cause;
      return openWith(() => openReadOnly(sqlite, file), look);
    }
  });
}
