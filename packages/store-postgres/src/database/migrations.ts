/** Brings the tables of a root up to date.
 *
 *  1. Each migration is named, and carried out once; a released one is never edited: a change is a further one.
 *  2. One process migrates at a time; another one that waited for it finds nothing to do.
 *  3. A function belongs to one version: it is added beside those of others.
 *  4. A root with a migration that this version does not know is refused; unless its name begins with `beside `: then versions that do not
 *     know it work beside those that do. It adds tables, or columns with defaults, that the older ones need not know. */
import { failure, WorkflowError } from "@uncaged/workflow-protocol";
import type { ClientBase } from "pg";
import { FUNCTIONS } from "../tables/dialect.ts";
import { LIVE_TABLES } from "../tables/live.ts";
import { MOVES_TABLE } from "../tables/moves.ts";
import { PUBLISH_FUNCTIONS, PUBLISH_MIGRATION } from "../tables/publish.ts";
import { REGISTRY_TABLES } from "../tables/registry.ts";
import { HISTORY_TABLES, INDEX_TABLES } from "../tables/schema.ts";

const MIGRATIONS: { readonly [name: string]: string } = {
  ...Object.fromEntries(INDEX_TABLES.map((text, at) => [`index-${at + 1}`, text])),
  history: HISTORY_TABLES,
  functions: FUNCTIONS,
  [PUBLISH_MIGRATION]: PUBLISH_FUNCTIONS,
  registry: REGISTRY_TABLES,
  live: LIVE_TABLES,
  moves: MOVES_TABLE,
};

/** Throws `STORAGE_NEWER`, and what PostgreSQL throws. */
export async function migrate(client: ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query("SELECT to_regclass($1) IS NOT NULL AS known", [
    `${schema}.migrations`,
  ]);
  if (rows[0].known && (await missing(client, schema)).length === 0) return;
  await client.query(`BEGIN; SET LOCAL search_path = ${schema}`);
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 1))", [schema]);
  if (rows[0].known) await demandOwner(client, schema);
  const found = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  // Without the right to create schemas, a role still owns the one that was made for it.
  if (found.rowCount === 0) await client.query(`CREATE SCHEMA ${schema}`);
  await client.query(RECORDS);
  for (const [name, text] of await missing(client, schema)) {
    await client.query(text);
    await client.query("INSERT INTO migrations (name) VALUES ($1)", [name]);
  }
  await client.query("COMMIT");
}

/** Privileges on the rows are enough to use a root, but not to change its tables. */
async function demandOwner(client: ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ owner: string; mayAct: boolean }>(
    `SELECT pg_get_userbyid(nspowner) AS owner, pg_has_role(nspowner, 'USAGE') AS "mayAct"
     FROM pg_namespace WHERE nspname = $1`,
    [schema],
  );
  const [row] = rows;
  if (row === undefined || row.mayAct || (await missing(client, schema)).length === 0) return;
  throw new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `the tables in schema ${schema} are of another version, and this role may not bring them up to date`,
      `first, with this version and as the role that owns the schema (${row.owner}): uncaged-workflow root init --postgres <url> --name <root>, in a folder of its own`,
    ),
  );
}

const RECORDS = `
CREATE TABLE IF NOT EXISTS migrations (
  name text PRIMARY KEY,
  at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
-- One row per transaction of the last minutes: whose answer was lost finds out whether it was done.
CREATE TABLE IF NOT EXISTS marks (
  mark uuid PRIMARY KEY,
  at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS marks_at ON marks (at);
`;

async function missing(client: ClientBase, schema: string): Promise<[string, string][]> {
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${schema}.migrations`);
  const done = new Set(rows.map(({ name }) => name));
  const unknown = [...done].filter(
    (name) => !Object.hasOwn(MIGRATIONS, name) && !/^(function|beside) /u.test(name),
  );
  if (unknown.length > 0)
    throw new WorkflowError(
      failure(
        "STORAGE_NEWER",
        `the root in schema ${schema} was changed by a later version (${unknown.join(", ")})`,
        "update uncaged-workflow, or choose another root",
      ),
    );
  return Object.entries(MIGRATIONS).filter(([name]) => !done.has(name));
}
