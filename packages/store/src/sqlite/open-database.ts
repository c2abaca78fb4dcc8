import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { makeFolderSync } from "@uncaged/workflow-util";
import { BLOCKING_WAIT_MS, withPatience } from "./patience.ts";
import { sqliteFailed } from "./sqlite-failure.ts";

/** Opens an SQLite file, making it and its folder if need be; `prepare` brings it into shape before
 *  use. Processes that open a fresh one at the same time all succeed. Throws `STORAGE_FAILED` for a
 *  file that is no database, a full disk, missing rights. */
export async function openDatabase(
  file: string,
  prepare: (db: DatabaseSync) => void,
): Promise<DatabaseSync> {
  // Loaded when needed: commands that touch no thread do not pay for it.
  const sqlite = await import("node:sqlite");
  // SQLite flushes the folder that its files stand in; the folder's own name is ours to flush.
  makeFolderSync(dirname(file));
  return withPatience(() => {
    let db: DatabaseSync | null = null;
    try {
      db = new sqlite.DatabaseSync(file, { timeout: BLOCKING_WAIT_MS });
      prepare(db);
      return db;
    } catch (cause) {
      db?.close();
      throw sqliteFailed(`cannot open ${file}`, cause);
    }
  });
}
