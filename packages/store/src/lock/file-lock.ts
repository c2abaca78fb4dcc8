import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../database/open-database.ts";
import { isBusy, sqliteFailed } from "../database/sqlite-failure.ts";

/** Held until it is released. */
export type FileLock = { release(): void };

/** Between two attempts at a lock that somebody holds; random, so that nobody keeps losing to newcomers. */
const LONGEST_PAUSE_MS = 40;

/** Waits until nobody else holds the lock of this file; null when the signal aborts first. Throws `STORAGE_FAILED` when
 *  the lock cannot be created.
 *
 *  The lock is SQLite's own on `file`, an empty database that nothing is ever written to. The system frees it when its
 *  holder dies, for whatever reason. Holders in one process exclude each other, too. */
export function lockFile(file: string, signal: AbortSignal): Promise<FileLock | null> {
  return lockWhile(file, () => !signal.aborted);
}

/** The same without waiting: null when somebody else holds it. */
export function tryLockFile(file: string): Promise<FileLock | null> {
  let tries = 0;
  return lockWhile(file, () => tries++ === 0);
}

async function lockWhile(file: string, goesOn: () => boolean): Promise<FileLock | null> {
  // Does not wait inside SQLite: the waiting process may itself hold the lock.
  const db = await openDatabase(file, { prepare: () => {}, busyTimeoutMs: 0 });
  try {
    while (goesOn()) {
      if (isTaken(db, file)) return { release: () => db.close() };
      await sleep(Math.random() * LONGEST_PAUSE_MS);
    }
  } catch (cause) {
    db.close();
    throw cause;
  }
  db.close();
  return null;
}

function isTaken(db: DatabaseSync, file: string): boolean {
  try {
    db.exec("BEGIN IMMEDIATE");
    return true;
  } catch (cause) {
    if (isBusy(cause)) return false;
    throw sqliteFailed(`cannot lock ${file}`, cause);
  }
}
