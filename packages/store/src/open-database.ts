/** Opens an SQLite file so that what is committed survives a power cut, and so that processes
 *  that open a fresh one at the same time all succeed. */
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { makeFolderSync } from "@uncaged/workflow-util";
import { isBusy, sqliteFailed } from "./sqlite-failure.ts";

/** How long a call waits for another process's transaction; those take about a flush each. */
export const BUSY_TIMEOUT_MS = 5_000;
const WAL_RETRY_MS = 5;

/** Opens the file, making it and its folder if need be; `prepare` brings it into shape before use.
 *  Throws `STORAGE_FAILED` for a file that is no database, a full disk, missing rights. */
export async function openDatabase(
  file: string,
  prepare: (db: DatabaseSync) => Promise<void>,
): Promise<DatabaseSync> {
  let db: DatabaseSync | null = null;
  try {
    // Loaded when needed: commands that touch no thread do not pay for it.
    const { DatabaseSync } = await import("node:sqlite");
    // SQLite flushes the folder that its files stand in; the folder's own name is ours to flush.
    makeFolderSync(dirname(file));
    db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    await prepare(db);
    return db;
  } catch (cause) {
    db?.close();
    throw sqliteFailed(`cannot open ${file}`, cause);
  }
}

/** Readers and one writer side by side; a commit is one flush of the log. */
export async function useDurableWal(db: DatabaseSync): Promise<void> {
  const giveUpAt = Date.now() + BUSY_TIMEOUT_MS;
  while (!entersWal(db, giveUpAt)) await sleep(WAL_RETRY_MS + Math.random() * WAL_RETRY_MS);
  // FULL: the log is flushed before a commit returns. fullfsync: on macOS also out of the drive's cache.
  db.exec("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON");
}

/** A fresh file changes its mode once, for which SQLite needs it alone and does not wait. */
function entersWal(db: DatabaseSync, giveUpAt: number): boolean {
  try {
    db.exec("PRAGMA journal_mode = WAL");
    return true;
  } catch (cause) {
    if (!isBusy(cause) || Date.now() >= giveUpAt) throw cause;
    return false;
  }
}
