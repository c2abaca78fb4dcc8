/** The connection to one root in PostgreSQL.
 *
 *  1. A root is a schema. A connection sees the tables of that one only, so no statement names it.
 *  2. A transaction is done once, also when its answer is lost: it leaves a mark, which is looked for on the next
 *     connection.
 *  3. A statement outside of one may be carried out twice: it must be idempotent.
 *  4. Behind a pooler of connections nothing outlives a transaction: each statement is in one, which says where the tables are, and none
 *     is prepared. */
import { randomUUID } from "node:crypto";
import { WorkflowError } from "@uncaged/workflow-protocol";
import pg from "pg";
import { isAway, postgresFailed } from "./failures.ts";
import { migrate } from "./migrations.ts";
import { movedFailure, moveStateOf } from "./move-state.ts";
import { patiently } from "./patience.ts";
import { schemaOf } from "./root-name.ts";
import { openConnections, type Session, settingsOfTransaction } from "./session.ts";

export type DatabaseOptions = {
  /** `postgres://user:password@host:port/database`. */
  url: string;
  /** Which of the roots in that database: small letters, digits and `_`. */
  root: string;
  /** In place of the server's clock, for tests: is given the time of the caller. Unix milliseconds. */
  clock?: ((nowMs: number) => number) | undefined;
  /** By whoever moves the root: also opens one that is not whole yet, or that was moved elsewhere. */
  moving?: true;
};

/** A statement: `$1` for the first value. */
export type Query = {
  text: string;
  values?: readonly unknown[];
  rowMode?: "array";
  /** Names no table without its schema, so it needs no settings; it cannot be in a transaction, or need not. */
  bare?: true;
};
export type Rows = { rows: readonly unknown[]; changes: number };

export type Transaction = {
  query(query: Query): Promise<Rows>;
  /** The time of the store since the transaction has had its lock; `nowMs`: that of the caller. Unix milliseconds. */
  now(nowMs: number): Promise<number>;
};

/** `exclusive`: no other one of this root that takes a lock runs at the same time. */
type RootLock = "exclusive" | "shared";

/** `what` names the operation in an error message: "cannot <what>". */
export type Database = {
  schema: string;
  session: Session;
  /** One statement in a transaction of its own; repeated while the server is away. */
  query(what: string, query: Query): Promise<Rows>;
  /** Does all of `body` once, or nothing; `body` may be called again after a broken connection. */
  transaction<T>(
    what: string,
    lock: RootLock,
    body: (transaction: Transaction) => Promise<T>,
  ): Promise<T>;
  /** The time of the store; `nowMs`: that of the caller. Unix milliseconds. */
  now(nowMs: number): Promise<number>;
  close(): Promise<void>;
};

/** Creates the tables of a new root, and brings those of an old one up to date. Throws `STORAGE_FAILED`, here and from every
 *  member; `STORAGE_NEWER` when a later version of this program wrote there, `STORAGE_MOVED` when the root is not there, and `USAGE` for an
 *  invalid name. */
export async function openDatabase({
  url,
  root,
  clock,
  moving,
}: DatabaseOptions): Promise<Database> {
  const schema = schemaOf(root);
  const settings = { ...SETTINGS, search_path: schema };
  const connect = () => openConnections(url, { ...POOL, settings });
  const { pool, session } = await failing(`open the root ${root} in PostgreSQL`, connect);
  const set = session === "lent" ? settingsOfTransaction(settings) : "";
  const once = (query: Query): Promise<Rows> =>
    using(pool, async (client) => {
      if (set === "" || query.bare) return await answerOf(client, query, session);
      await client.query(`BEGIN; ${set}`);
      const rows = await answerOf(client, query, session);
      await client.query("COMMIT");
      return rows;
    });
  const database: Database = {
    schema,
    session,
    query: (what, query) => failing(what, () => patiently(() => once(query))),
    transaction: (what, lock, body) => {
      const mark = randomUUID();
      const begin = beginOf({ schema, lock, mark, set });
      let mayBeDone: { value: Awaited<ReturnType<typeof body>> } | null = null;
      return failing(what, () =>
        patiently(() =>
          using(pool, async (client) => {
            if (mayBeDone !== null && (await isMarked(client, schema, mark)))
              return mayBeDone.value;
            mayBeDone = null;
            const serverMs = await began(client, begin);
            const now = async (nowMs: number) => clock?.(nowMs) ?? serverMs;
            const query = (each: Query) => answerOf(client, each, session);
            const value = await body({ query, now });
            // From here on, a broken connection does not tell whether it was done.
            mayBeDone = { value };
            await client.query("COMMIT");
            return value;
          }),
        ),
      );
    },
    now: async (nowMs) => {
      if (clock !== undefined) return clock(nowMs);
      const { rows } = await database.query("read the clock", { text: TIME, bare: true });
      return nowMsIn(rows[0]);
    },
    close: () => pool.end(),
  };
  try {
    const open = () =>
      patiently(() =>
        using(pool, async (client) => {
          await migrate(client, schema);
          const state = moving ? null : await moveStateOf(client, schema);
          if (state !== null)
            throw new WorkflowError(movedFailure(state, `the root ${root} in PostgreSQL`));
        }),
      );
    await failing(`open the root ${root} in PostgreSQL`, open);
    return database;
  } catch (cause) {
    await pool.end();
    throw cause;
  }
}

/** Statements wait in the server for a lock; a server that answers nothing for so long is unreachable. */
const ANSWER_WITHIN_MS = 30_000;

/** A machine that vanished in a transaction holds the lock of its root no longer than this. No statement here is worth
 *  compiling. */
const SETTINGS = { idle_in_transaction_session_timeout: 5_000, jit: "off" };

/** Counts and times are numbers; JavaScript's are exact beyond the year 200,000. */
function parserOf(type: number, format?: "text" | "binary"): (value: string) => unknown {
  const isWide = type === pg.types.builtins.INT8 || type === pg.types.builtins.NUMERIC;
  return isWide ? Number : pg.types.getTypeParser(type, format ?? "text");
}

/** How answers are read. */
export const TYPES: pg.CustomTypesConfig = { getTypeParser: parserOf };

const POOL = {
  application_name: "uncaged-workflow",
  // Servers allow about a hundred in all. Two publish; what takes the lock of the root waits for its turn anyway.
  max: 4,
  connectionTimeoutMillis: 5_000,
  query_timeout: ANSWER_WITHIN_MS,
  keepAlive: true,
  types: TYPES,
};

/** The server's, in Unix milliseconds. */
export const TIME = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "nowMs"';

/** Marks are needed while their transaction is tried again. */
const FORGET_MARKS = "DELETE FROM marks WHERE at < clock_timestamp() - interval '10 minutes'";

/** One round trip: the lock is taken before anything is read, so nothing read can be stale. */
function beginOf({
  schema,
  lock,
  mark,
  set,
}: {
  schema: string;
  lock: RootLock;
  mark: string;
  set: string;
}): string {
  const take = lock === "shared" ? "pg_advisory_xact_lock_shared" : "pg_advisory_xact_lock";
  return `
    BEGIN; ${set} SELECT ${take}(hashtextextended('${schema}', 0)); ${FORGET_MARKS};
    INSERT INTO marks (mark) VALUES ('${mark}'); ${TIME}`;
}

async function began(client: pg.PoolClient, begin: string): Promise<number> {
  const results: unknown = await client.query(begin);
  const last: unknown = Array.isArray(results) ? results.at(-1) : null;
  return nowMsIn(last instanceof pg.Result ? last.rows[0] : null);
}

export function nowMsIn(row: unknown): number {
  return Number(typeof row === "object" && row !== null && "nowMs" in row ? row.nowMs : Number.NaN);
}

/** Leaves no trace: were it to leave a mark, one whose own answer was lost would be taken for the transaction's. */
async function isMarked(client: pg.PoolClient, schema: string, mark: string): Promise<boolean> {
  // A commit under way on the broken connection keeps the mark's place: this waits for it.
  const results: unknown = await client.query(
    `BEGIN; INSERT INTO ${schema}.marks (mark) VALUES ('${mark}') ON CONFLICT DO NOTHING; ROLLBACK`,
  );
  const [, inserted]: unknown[] = Array.isArray(results) ? results : [];
  if (inserted instanceof pg.Result) return inserted.rowCount === 0;
  throw new TypeError("looking for a mark had no answer");
}

/** Lends a connection. A transaction that failed is rolled back; a broken connection is not used again. */
async function using<T>(pool: pg.Pool, body: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A broken one rejects what waits for it, too.
  const ignore = (): void => {};
  client.on("error", ignore);
  let isBroken = false;
  try {
    return await body(client);
  } catch (cause) {
    isBroken = isAway(cause) || (await client.query("ROLLBACK").catch(() => null)) === null;
    throw cause;
  } finally {
    client.off("error", ignore);
    client.release(isBroken);
  }
}

async function failing<T>(what: string, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (cause) {
    throw postgresFailed(what, cause);
  }
}

/** One statement, on whatever connection. Throws what PostgreSQL throws. */
export async function answerOf(
  client: Pick<pg.ClientBase, "query">,
  query: Query,
  session: Session,
): Promise<Rows> {
  return rowsOf(await client.query(queryOf(query, session)));
}

function queryOf(
  { text, values = [], rowMode }: Query,
  session: Session,
): pg.QueryArrayConfig | pg.QueryConfig {
  const named = session === "own" ? { name: nameOf(text) } : {};
  const query = { text, values: [...values], ...named };
  return rowMode === undefined ? query : { ...query, rowMode };
}

/** Prepared once per connection. */
const names = new Map<string, string>();
function nameOf(text: string): string {
  const name = names.get(text) ?? `s${names.size}`;
  names.set(text, name);
  return name;
}

function rowsOf({ rows, rowCount }: pg.QueryResult | pg.QueryArrayResult): Rows {
  return { rows, changes: rowCount ?? 0 };
}
