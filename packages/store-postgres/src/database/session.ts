/** Connections to one root, and whether each is a session of the server of its own.
 *
 *  A pooler of connections (PgBouncer and others) may lend a session for one transaction at a time. What a client sets there is then
 *  found by the next one: the wrong schema, or another statement under the same name. */
import { failure, WorkflowError } from "@uncaged/workflow-protocol";
import pg from "pg";
import { connectionTo } from "./connection.ts";
import { isRefusedOption } from "./failures.ts";
import { patiently } from "./patience.ts";

/** `own`: what is set at its beginning holds. `lent`: nothing is kept from one transaction to the next. */
export type Session = "own" | "lent";

export type Connections = { pool: pg.Pool; session: Session };

/** `settings`: of an own session; of a lent one they have to be part of each transaction. Throws what PostgreSQL throws. */
export async function openConnections(
  url: string,
  { settings, ...how }: pg.PoolConfig & { settings: Settings },
): Promise<Connections> {
  const own = quietPool({
    ...how,
    ...connectionTo(url),
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    onConnect: (client) => demandOwn(client, settings),
  });
  const session = await patiently(async (): Promise<Session> => {
    try {
      (await own.connect()).release();
      return "own";
    } catch (cause) {
      if (cause instanceof SessionLent || isRefusedOption(cause)) return "lent";
      throw cause;
    }
  }).catch(async (cause) => {
    await own.end();
    throw cause;
  });
  if (session === "own") return { pool: own, session };
  await own.end();
  return { pool: quietPool({ ...how, ...connectionTo(url) }), session };
}

/** Names and values without quotes. */
export type Settings = { readonly search_path: string; readonly [name: string]: string | number };

/** To be part of a transaction in a lent session. */
export function settingsOfTransaction(settings: Settings): string {
  return Object.entries(settings)
    .map(([name, value]) => `SET LOCAL ${name} = ${value};`)
    .join(" ");
}

function quietPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  // An idle connection that breaks is replaced when the next one is needed.
  pool.on("error", () => {});
  return pool;
}

class SessionLent extends WorkflowError {
  constructor() {
    super(
      failure(
        "STORAGE_FAILED",
        "a pooler of connections has been put before the server",
        "end this program and start it again",
      ),
    );
  }
}

/** A pooler answers under a number of its own, not that of the process that serves the session; or drops the settings. */
async function demandOwn(client: pg.ClientBase, { search_path }: Settings): Promise<void> {
  const { rows } = await client.query<{ pid: number; path: string }>(
    "SELECT pg_backend_pid() AS pid, current_setting('search_path') AS path",
  );
  const [row] = rows;
  if (row?.pid !== Reflect.get(client, "processID") || row?.path !== search_path)
    throw new SessionLent();
}
