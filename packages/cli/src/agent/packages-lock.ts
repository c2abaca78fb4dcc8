/** Lets one process at a time change the packages of a storage root.
 *
 *  1. The lock is SQLite's own on an empty file: the system gives it back when its holder dies, however it dies.
 *  2. It is held while npm works, for minutes. So it is not the lock of the registry, for which others wait. */
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { err, type Failure, failure, type Result } from "@uncaged/workflow-protocol";
import {
  keepPrivateSync,
  makeFolderSync,
  storageFailed,
  storagePaths,
} from "@uncaged/workflow-util";
import type { Io } from "../io.ts";
import { withProgress } from "../with-progress.ts";

const LOOK_EVERY_MS = 100;

/** Does the work once no other process does; says on a terminal that it waits. Aborting the signal ends the
 *  waiting with `INSTALL_FAILED`. Throws `STORAGE_FAILED` when there can be no lock. */
export async function withPackagesLock<T>(
  at: { root: string; signal: AbortSignal; io: Pick<Io, "stderr" | "now"> },
  work: () => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const { packagesLock: file } = storagePaths(at.root);
  makeFolderSync(at.root);
  const db = await openLock(file);
  try {
    const waiting = (): Promise<boolean> => taken(db, { file, signal: at.signal });
    if (!(await withProgress(at.io, "waiting for another installation", waiting)))
      return err(gaveUp(at.root));
    return await work();
  } finally {
    // Gives the lock back, too.
    db.close();
  }
}

async function openLock(file: string): Promise<DatabaseSync> {
  const { DatabaseSync } = await import("node:sqlite");
  keepPrivateSync(file);
  try {
    return new DatabaseSync(file, { timeout: 0 });
  } catch (cause) {
    throw storageFailed(`cannot open ${file}`, cause);
  }
}

/** False: the signal came first. */
async function taken(
  db: DatabaseSync,
  { file, signal }: { file: string; signal: AbortSignal },
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      db.exec("BEGIN IMMEDIATE");
      return true;
    } catch (cause) {
      if (!isBusy(cause)) throw storageFailed(`cannot lock ${file}`, cause);
    }
    await sleep(LOOK_EVERY_MS);
  }
  return false;
}

/** Result code 5 of SQLite; the bits above it say more. */
function isBusy(cause: unknown): boolean {
  if (!(cause instanceof Error) || !("errcode" in cause)) return false;
  return typeof cause.errcode === "number" && (cause.errcode & 0xff) === 5;
}

function gaveUp(root: string): Failure {
  return failure(
    "INSTALL_FAILED",
    `another process installs into ${root}, and the waiting for it was stopped`,
    "nothing was changed; add the agent again when the other is done",
  );
}
