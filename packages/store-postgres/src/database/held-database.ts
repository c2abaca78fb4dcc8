/** A root in PostgreSQL that nobody else changes: one transaction, which has the lock of the root from its beginning. */
import pg from "pg";
import { LEAVE } from "../tables/moves.ts";
import { connectionTo } from "./connection.ts";
import {
  answerOf,
  type Database,
  nowMsIn,
  openDatabase,
  type Query,
  TIME,
  TYPES,
} from "./database.ts";
import { postgresFailed } from "./failures.ts";
import { settingsOfTransaction } from "./session.ts";

/** Closing it gives the lock back, and undoes what was done: only `leave` commits. */
export type HeldDatabase = Database & {
  /** Marks the root as moved to `place`. */
  leave(place: string): Promise<void>;
};

/** A copy writes elsewhere meanwhile; a machine that vanished is noticed by its connection. */
const SETTINGS = {
  jit: "off",
  idle_in_transaction_session_timeout: 600_000,
  tcp_keepalives_idle: 15,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
};

/** Waits until changes that are under way are done. Throws `STORAGE_FAILED`; `STORAGE_NEWER`. */
export async function holdDatabase(at: { url: string; root: string }): Promise<HeldDatabase> {
  // Its tables are brought up to date first.
  const opened = await openDatabase({ ...at, moving: true });
  const { schema, session } = opened;
  await opened.close();
  const client = new pg.Client({
    ...connectionTo(at.url),
    application_name: "uncaged-workflow move",
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    types: TYPES,
  });
  // A broken connection rejects what waits for it, too.
  client.on("error", () => {});
  const failing = async <T>(what: string, body: () => Promise<T>): Promise<T> => {
    try {
      return await body();
    } catch (cause) {
      throw postgresFailed(what, cause);
    }
  };
  try {
    await failing(`hold the root ${at.root}`, async () => {
      await client.connect();
      await client.query(`BEGIN; ${settingsOfTransaction({ ...SETTINGS, search_path: schema })}
        SET LOCAL lock_timeout = '30s';
        SELECT pg_advisory_xact_lock(hashtextextended('${schema}', 0))`);
    });
  } catch (cause) {
    await client.end().catch(() => {});
    throw cause;
  }
  const query = (each: Query) => answerOf(client, each, session);
  const now = async () => nowMsIn((await query({ text: TIME })).rows[0]);
  return {
    schema,
    session,
    query: (what, each) => failing(what, () => query(each)),
    transaction: (what, _lock, body) => failing(what, () => body({ query, now })),
    now: () => failing("read the clock", now),
    leave: (place) =>
      failing("mark the root as moved", async () => {
        await client.query(LEAVE);
        await client.query(
          "INSERT INTO moves (state, place) VALUES ('left', $1) ON CONFLICT (id) DO UPDATE SET state = 'left', place = $1",
          [place],
        );
        await client.query("COMMIT");
      }),
    close: () => client.end(),
  };
}
