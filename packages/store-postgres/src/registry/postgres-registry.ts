import {
  err,
  type Failure,
  failureFrom,
  ok,
  type RegistryEntry,
  type Result,
  type WorkflowRegistry,
} from "@uncaged/workflow-protocol";
import { registered, rolledBack, unknownWorkflow } from "@uncaged/workflow-register/changes";
import type { Database, Transaction } from "../database/database.ts";
import { numberIn, textIn } from "../database/fields.ts";

/** The registry of a root that many machines share. */
export function postgresRegistry(database: Database): WorkflowRegistry {
  return {
    workflows: () =>
      orFailure(async () => {
        const { rows } = await database.query("read the registry", { text: READ });
        return ok(entriesOf(rows));
      }),
    register: (registration) =>
      changed(database, "register a workflow", async (entries, write) => {
        const done = registered(entries, registration);
        if (!done.ok) return done;
        const { entry, previous } = done.value;
        await write(registration.name, entry);
        return ok({ previous, notes: [] });
      }),
    rollback: (request) =>
      changed(database, "restore a version", async (entries, write) => {
        const done = rolledBack(entries, request);
        if (!done.ok) return done;
        const { entry, ...restored } = done.value;
        await write(request.name, entry);
        return ok({ ...restored, notes: [] });
      }),
    remove: (name) =>
      changed(database, "remove a workflow", async (entries, write) => {
        const entry = entries.get(name);
        if (entry === undefined) return err(unknownWorkflow(entries, name));
        await write(name, null);
        return ok({ entry, notes: [] });
      }),
  };
}

/** null: the name is forgotten. */
type Write = (name: string, entry: RegistryEntry | null) => Promise<void>;

/** Reads and writes under the root's lock, so no change of another process is lost. */
function changed<T>(
  database: Database,
  what: string,
  change: (
    entries: ReadonlyMap<string, RegistryEntry>,
    write: Write,
  ) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  return orFailure(() =>
    database.transaction(what, "exclusive", async (transaction) => {
      const { rows } = await transaction.query({ text: READ });
      const entries = entriesOf(rows);
      return change(entries, async (name, entry) => {
        if (entry === null || entries.get(name) !== entry) await replace(transaction, name, entry);
      });
    }),
  );
}

async function replace(
  transaction: Transaction,
  name: string,
  entry: RegistryEntry | null,
): Promise<void> {
  await transaction.query({ text: FORGET, values: [name] });
  if (entry === null) return;
  const versions = [entry, ...entry.history];
  const columns = [
    versions.map((_, place) => place),
    versions.map(({ hash }) => hash),
    versions.map(({ sha256 }) => sha256),
    versions.map(({ timestamp }) => timestamp),
  ];
  await transaction.query({ text: INSERT, values: [name, ...columns] });
}

const READ = "SELECT name, hash, sha256, added_at FROM workflow_versions ORDER BY name, place";
const FORGET = "DELETE FROM workflow_versions WHERE name = $1";
const INSERT = `
INSERT INTO workflow_versions (name, place, hash, sha256, added_at)
SELECT $1, * FROM unnest($2::integer[], $3::text[], $4::text[], $5::bigint[])`;

function entriesOf(rows: readonly unknown[]): Map<string, RegistryEntry> {
  const entries = new Map<string, RegistryEntry>();
  for (const row of rows) {
    const name = textIn(row, "name");
    const version = {
      hash: textIn(row, "hash"),
      sha256: textIn(row, "sha256"),
      timestamp: numberIn(row, "added_at"),
    };
    const top = entries.get(name);
    if (top === undefined) entries.set(name, { ...version, history: [] });
    else entries.set(name, { ...top, history: [...top.history, version] });
  }
  return entries;
}

async function orFailure<T>(body: () => Promise<Result<T, Failure>>): Promise<Result<T, Failure>> {
  try {
    return await body();
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}
