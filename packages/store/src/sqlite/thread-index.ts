import type { DatabaseSync } from "node:sqlite";
import { storagePaths } from "@uncaged/workflow-util";
import { compile, type Statement } from "../database/compile.ts";
import { openDatabase } from "../database/open-database.ts";
import { sqliteFailed } from "../database/sqlite-failure.ts";
import { refuseEmptied, refuseLostFile, withoutTables } from "./lost-index.ts";
import { migrate, refuseOther } from "./migrations.ts";

/** The open `index.db`. `what` names the deed in an error's message: "cannot <what> in <file>". */
export type ThreadIndex = {
  /** A statement, compiled once and kept. */
  sql(text: string): Statement;
  /** The same, for wide rows: they come as arrays, which takes half the time. */
  arrays(text: string): Statement;
  read<T>(what: string, body: () => T): T;
  /** One transaction: what `body` changed is on disk when this returns, or nothing of it is. */
  transaction<T>(what: string, body: () => T): T;
  close(): void;
};

/** What becomes of a root that has lost its index. */
export type LostIndex = "refused" | "made anew";

/** Makes it where the root is new. Throws `STORAGE_DAMAGED` where it has been lost; `STORAGE_FAILED` or
 *  `STORAGE_NEWER`, then and from every member. */
export async function openThreadIndex(
  root: string,
  lost: LostIndex = "refused",
): Promise<ThreadIndex> {
  const { index: file } = storagePaths(root);
  // Before it is opened: opening makes it.
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
      // IMMEDIATE: the right to write is had before anything is read, so nothing read can be stale.
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
  return { sql, arrays, read: look, transaction: change, close: () => db.close() };
}

function keeping(compiled: (text: string) => Statement): (text: string) => Statement {
  const kept = new Map<string, Statement>();
  return (text) => {
    const statement = kept.get(text) ?? compiled(text);
    kept.set(text, statement);
    return statement;
  };
}

/** After a full disk or a failed flush SQLite has rolled back by itself already. */
function rollBack(db: DatabaseSync): void {
  try {
    if (db.isTransaction) db.exec("ROLLBACK");
  } catch {
    // The first error is the one to report; the next BEGIN fails if the transaction is still there.
  }
}
