/** The schema of `index.db` and the upgrades from older ones.
 *
 *  1. `user_version` counts the migrations a file has seen; they only ever go forward.
 *  2. All missing ones run in one transaction: a crash in between leaves the old schema.
 *  3. A process that waited for another one's migration checks again and finds nothing to do.
 *  4. A released migration is never edited: a change is a further one. */
import type { DatabaseSync } from "node:sqlite";
import { failure, WorkflowError } from "@uncaged/workflow-protocol";
import { ASKS_SCHEMA } from "./asks-schema.ts";
import { BLOBS_SCHEMA } from "./blobs-schema.ts";
import { HOLDS_SCHEMA } from "./holds-schema.ts";
import { LIMIT_SCHEMA } from "./limit-schema.ts";
import { NAMES_SCHEMA } from "./names-schema.ts";
import { NOTICES_SCHEMA } from "./notices-schema.ts";
import { PERSON_SCHEMA } from "./person-schema.ts";
import { POOLS_SCHEMA } from "./pools-schema.ts";
import { QUEUE_SCHEMA } from "./queue-schema.ts";
import { SCHEDULES_SCHEMA } from "./schedules-schema.ts";
import { SHARED_BUDGET_SCHEMA } from "./shared-budget-schema.ts";
import { SPENT_SCHEMA } from "./spent-schema.ts";
import { STEERING_SCHEMA } from "./steering-schema.ts";
import { TASK_THREADS_SCHEMA } from "./task-threads-schema.ts";
import { TASKS_SCHEMA } from "./tasks-schema.ts";
import { THREADS_SCHEMA } from "./threads-schema.ts";
import { TRIGGERS_SCHEMA } from "./triggers-schema.ts";
import { UNFINISHED_SCHEMA } from "./unfinished-schema.ts";
import { WAITS_SCHEMA } from "./waits-schema.ts";

/** In SQLite's dialect; each is for a database in which the earlier ones were carried out. */
export const MIGRATIONS: readonly string[] = [
  THREADS_SCHEMA,
  BLOBS_SCHEMA,
  STEERING_SCHEMA,
  PERSON_SCHEMA,
  LIMIT_SCHEMA,
  WAITS_SCHEMA,
  NAMES_SCHEMA,
  SPENT_SCHEMA,
  NOTICES_SCHEMA,
  SCHEDULES_SCHEMA,
  QUEUE_SCHEMA,
  TRIGGERS_SCHEMA,
  ASKS_SCHEMA,
  TASKS_SCHEMA,
  HOLDS_SCHEMA,
  UNFINISHED_SCHEMA,
  TASK_THREADS_SCHEMA,
  SHARED_BUDGET_SCHEMA,
  POOLS_SCHEMA,
];

/** Marks the file as ours in SQLite's header ("UWFi"), so that no other program's database is changed. */
const APPLICATION_ID = 0x55574669;

/** How the names of triggers begin that keep an index from being changed, after its root was moved. */
export const LEFT_TRIGGER = "moved";

export type Migration = {
  /** How messages name the database. */
  file: string;
  /** Called before an empty database becomes ours; throws when it must not. */
  refuseEmpty: (isStillEmpty: () => boolean) => void;
  /** What to throw for a database that was ours and has no tables any more. */
  withoutTables: () => Error;
};

/** Brings the schema up to date. Throws `STORAGE_NEWER` when a later version of this program wrote the file,
 *  `STORAGE_FAILED` when another program did, and what `Migration` says. */
export function migrate(db: DatabaseSync, migration: Migration): void {
  const { file, refuseEmpty } = migration;
  const found = refuseStrange(db, migration);
  if (found.version === 0) refuseEmpty(() => headerOf(db).version === 0);
  beDurable(db);
  if (found.triggers > 0) comeBack(db);
  if (found.version === MIGRATIONS.length) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    const { version } = headerOf(db);
    refuseNewer({ version }, file);
    for (const migration of MIGRATIONS.slice(version)) db.exec(migration);
    db.exec(
      `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}`,
    );
    db.exec("COMMIT");
  } catch (cause) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw cause;
  }
}

/** For a database that may only be read: one that is not at this schema is refused. Throws like `migrate`. */
export function refuseOther(db: DatabaseSync, migration: Migration): void {
  const { file, refuseEmpty } = migration;
  const found = refuseStrange(db, migration);
  if (found.version === 0) refuseEmpty(() => true);
  if (found.version === MIGRATIONS.length) return;
  throw new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `${file} has schema ${found.version} and may only be read; this version reads ${MIGRATIONS.length}`,
      "copy the storage root to where this user may write, and use the copy",
    ),
  );
}

/** The folder does not say any more that its root was moved: somebody took that back. */
function comeBack(db: DatabaseSync): void {
  const triggers = db
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '${LEFT_TRIGGER}%'`,
    )
    .all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER IF EXISTS ${name}`);
}

/** WAL: concurrent readers beside one writer, and a commit is one flush of the log. FULL: that flush completes before a
 *  commit returns. fullfsync: on macOS it also empties the drive's cache. */
function beDurable(db: DatabaseSync): void {
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON`);
}

type Header = {
  applicationId: number;
  version: number;
  /** Any table at all. */
  objects: number;
  /** The tables without which it is not an index: 1 or 0. */
  tables: number;
  /** Those that keep it from being changed. */
  triggers: number;
};

function headerOf(db: DatabaseSync): Header {
  const row = db
    .prepare(
      `SELECT a.application_id AS applicationId, u.user_version AS version,
              (SELECT count(*) FROM sqlite_schema) AS objects,
              (SELECT count(*) FROM sqlite_schema WHERE name = 'threads') AS tables,
              (SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '${LEFT_TRIGGER}%') AS triggers
       FROM pragma_application_id a, pragma_user_version u`,
    )
    .get();
  return {
    applicationId: Number(row?.applicationId),
    version: Number(row?.version),
    objects: Number(row?.objects),
    tables: Number(row?.tables),
    triggers: Number(row?.triggers),
  };
}

function refuseStrange(db: DatabaseSync, { file, withoutTables }: Migration): Header {
  const found = headerOf(db);
  refuseForeign(found, file);
  refuseNewer(found, file);
  if (found.version > 0 && found.tables === 0) throw withoutTables();
  return found;
}

function refuseForeign({ applicationId, version, objects }: Header, file: string): void {
  const fresh = applicationId === 0 && version === 0 && objects === 0;
  if (fresh || applicationId === APPLICATION_ID) return;
  throw new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `${file} is another program's database`,
      "move it away, or choose another storage root",
    ),
  );
}

function refuseNewer({ version }: Pick<Header, "version">, file: string): void {
  if (version <= MIGRATIONS.length) return;
  throw new WorkflowError(
    failure(
      "STORAGE_NEWER",
      `${file} has schema ${version}, written by a later version; this one knows ${MIGRATIONS.length}`,
      "update uncaged-workflow, or choose another storage root",
    ),
  );
}
