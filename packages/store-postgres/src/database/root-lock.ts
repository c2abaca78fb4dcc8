import { setTimeout as sleep } from "node:timers/promises";
import { failure, WorkflowError } from "@uncaged/workflow-protocol";
import pg from "pg";
import { connectionTo } from "./connection.ts";
import { postgresFailed } from "./failures.ts";
import { schemaOf } from "./root-name.ts";

/** Between two attempts at a lock that somebody holds; random, so that nobody keeps losing to newcomers. */
const LONGEST_PAUSE_MS = 250;

/** Runs a section while no other machine or process is in one of this root. The server frees the lock when its holder's
 *  connection ends, for whatever reason: so a section must do no harm beside another one, should the server restart. Steps and other changes of the root
 *  do not wait for it. Rethrows what the section throws; throws `STORAGE_FAILED` when the lock cannot be acquired in time. */
export async function whileRootLocked<T>(
  { url, root, patienceMs }: { url: string; root: string; patienceMs: number },
  section: () => Promise<T>,
): Promise<T> {
  const schema = schemaOf(root);
  const client = new pg.Client({
    ...connectionTo(url),
    application_name: "uncaged-workflow lock",
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  // A broken connection rejects what waits for it, too.
  client.on("error", () => {});
  try {
    try {
      await client.connect();
      const giveUpAt = performance.now() + patienceMs;
      while (!(await isTaken(client, schema))) {
        if (performance.now() >= giveUpAt) throw held(root);
        await client.query("ROLLBACK");
        await sleep(Math.random() * LONGEST_PAUSE_MS);
      }
    } catch (cause) {
      throw postgresFailed(`lock the blobs of the root ${root}`, cause);
    }
    return await section();
  } finally {
    await client.end().catch(() => {});
  }
}

/** Held by a transaction, not by the session: behind a pooler of connections, the session is somebody else's a moment later. It has read
 *  nothing, so it keeps no row from being cleaned up. */
const BEGIN = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0";

/** 0 is the lock of the root itself, 1 that of its migrations. */
const TAKE = "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 2)) AS taken";

async function isTaken(client: pg.Client, schema: string): Promise<boolean> {
  await client.query(BEGIN);
  const { rows } = await client.query<{ taken: boolean }>(TAKE, [schema]);
  return rows[0]?.taken === true;
}

function held(root: string): WorkflowError {
  const hint = "wait for it, or end it, then try again";
  return new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `cannot lock the blobs of the root ${root}: another process, maybe on another machine, holds the lock`,
      hint,
    ),
  );
}
