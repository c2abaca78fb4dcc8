import type { DatabaseSync } from "node:sqlite";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { openDatabase } from "./open-database.ts";
import { withPatience } from "./patience.ts";
import { sqliteFailed } from "./sqlite-failure.ts";

/** Sections of several processes, one at a time. */
export type ExclusiveSection = {
  /** Rethrows what the section throws. */
  run<T>(section: () => T): Promise<T>;
  close(): Promise<void>;
};

/** The lock is SQLite's own on `file`, an empty database that nothing is ever written to. The
 *  system gives it back when its holder dies, however that happens. It is a file of its own, so
 *  that publishing a step never waits for it. Opened on first use. */
export function exclusiveSection(file: string): ExclusiveSection {
  let opened: Promise<DatabaseSync> | null = null;
  return {
    async run(section) {
      opened ??= openDatabase(file, { prepare: () => {} });
      const db = await opened.catch((cause: unknown) => {
        opened = null;
        throw cause;
      });
      const outcome = await withPatience(() => locked(db, { file, section }));
      if (outcome.ok) return outcome.value;
      throw outcome.error;
    },
    async close() {
      const db = await opened;
      opened = null;
      db?.close();
    },
  };
}

/** Nothing is awaited between lock and unlock, so sections of one process cannot meet either. What
 *  the section throws comes back as a value: only a lock that is taken is worth another attempt. */
function locked<T>(
  db: DatabaseSync,
  { file, section }: { file: string; section: () => T },
): Result<T, unknown> {
  try {
    db.exec("BEGIN IMMEDIATE");
  } catch (cause) {
    throw sqliteFailed(`cannot lock ${file}`, cause);
  }
  try {
    return ok(section());
  } catch (thrown) {
    return err(thrown);
  } finally {
    db.exec("ROLLBACK");
  }
}
