import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { storagePaths } from "@uncaged/workflow-util";
import { compile, type Statement } from "../database/compile.ts";
import { openDatabase } from "../database/open-database.ts";
import { sqliteFailed } from "../database/sqlite-failure.ts";
import { refuseEmptied, refuseLostFile, withoutTables } from "./lost-index.ts";
import { migrate, refuseOther } from "./migrations.ts";

/** The open `index.db`. `what` names the operation in an error message: "cannot <what> in <file>". */
export type ThreadIndex = {
  /** The storage root, which has the history beside the index. */
  root: string;
  /** A statement, compiled once and cached. */
  sql(text: string): Statement;
  /** The same, for wide rows: they come as arrays, which takes half the time. */
  arrays(text: string): Statement;
  read<T>(what: string, body: () => T): T;
  /** One transaction: when this returns, everything that `body` changed is on disk; otherwise none of it is. */
  transaction<T>(what: string, body: () => T): T;
  close(): void;
};

/** What to do about a root that has lost its index. */
export type LostIndex = "refused" | "made anew";

/** Creates the index if the root is new. Throws `STORAGE_DAMAGED` if it has been lost; `STORAGE_FAILED` or
 *  `STORAGE_NEWER`, here and from every member. */
export async function openThreadIndex(
  root: string,
  lost: LostIndex = "refused",
): Promise<ThreadIndex> {
  const { index: file } = storagePaths(root);
  // Before it is opened, because opening a new one creates it. One that was there is never created: it may disappear
  // before it is open, and an empty file in its place would look like a root that has just begun.
  const wasThere = existsSync(file);
  if (lost === "refused") refuseLostFile(root);
  const migration = {
    file,
    refuseEmpty: (isStillEmpty: () => boolean) => {
      if (lost === "refused") refuseEmptied(root, isStillEmpty);
    },
    withoutTables: () => withoutTables(root),
  };
  const db = await openDatabase(file, {
    prepare: (fresh) => migrate(fresh, migration),
    look: (found) => refuseOther(found, migration),
    mustExist: wasThere,
  });
  const sql = keeping((text) => compile(db, text, { rows: "objects" }));
  const arrays = keeping((text) => compile(db, text, { rows: "arrays" }));
  const look = <T>(what: string, body: () => T): T => {
    try {
      return body();
    } catch (cause) {
      throw sqliteFailed(`cannot ${what} in ${file}`, cause);
    }
  };
  const change = <T>(what: string, body: () => T): T =>
    look(what, () => {
      // IMMEDIATE: the write lock is taken before anything is read, so nothing read can be stale.
      sql("BEGIN IMMEDIATE").run();
      try {
        const value = body();
        sql("COMMIT").run();
        return value;
      } catch (cause) {
        rollBack(db);
        throw cause;
      }
    });
  return { root, sql, arrays, read: look, transaction: change, close: () => db.close() };
}

function keeping(compiled: (text: string) => Statement): (text: string) => Statement {
  const kept = new Map<string, Statement>();
  return (text) => {
    const statement = kept.get(text) ?? compiled(text);
    kept.set(text, statement);
    return statement;
  };
}

/** After a full disk or a failed flush SQLite has already rolled back by itself. */
function rollBack(db: DatabaseSync): void {
  try {
    if (db.isTransaction) db.exec("ROLLBACK");
  } catch {
    // The first error is the one to report; the next BEGIN fails if the transaction is still open.
  }
}
