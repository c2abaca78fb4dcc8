import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 200;
const WAIT_MS = 15 * 60_000;

/** Runs `body` while no other process of this machine does so with the same file. The lock is a write
 *  transaction on an empty database: the system gives it back when its holder dies, however it dies. */
export async function withInstallLock(file: string, body: () => Promise<void>): Promise<void> {
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    await begin(db, file);
    await body();
  } finally {
    db.close();
  }
}

async function begin(db: DatabaseSync, file: string): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  while (!tryBegin(db)) {
    if (Date.now() > deadline) throw new Error(`another process installs since long; see ${file}`);
    await sleep(POLL_MS);
  }
}

function tryBegin(db: DatabaseSync): boolean {
  try {
    db.exec("BEGIN IMMEDIATE");
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && thrown.message.includes("locked")) return false;
    throw thrown;
  }
}
