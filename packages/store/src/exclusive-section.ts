import type { DatabaseSync } from "node:sqlite";
import { failure, WorkflowError } from "@uncaged/workflow-protocol";
import { openDatabase } from "./open-database.ts";
import { sqliteFailed } from "./sqlite-failure.ts";

/** Sections of several processes, one at a time. */
export type ExclusiveSection = {
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
      opened ??= openDatabase(file, async () => {});
      const db = await opened.catch((cause: unknown) => {
        opened = null;
        throw cause;
      });
      refuseNested(db, file);
      lock(db, file);
      try {
        return section();
      } finally {
        db.exec("ROLLBACK");
      }
    },
    async close() {
      const db = await opened;
      opened = null;
      db?.close();
    },
  };
}

function lock(db: DatabaseSync, file: string): void {
  try {
    db.exec("BEGIN IMMEDIATE");
  } catch (cause) {
    throw sqliteFailed(`cannot lock ${file}`, cause);
  }
}

/** A section that starts another would wait for itself. */
function refuseNested(db: DatabaseSync, file: string): void {
  if (!db.isTransaction) return;
  throw new WorkflowError(
    failure("INTERNAL", `a section that holds ${file} asked for it again`, ""),
  );
}
