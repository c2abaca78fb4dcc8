import { err, type Failure, failure, type Result } from "@uncaged/workflow-protocol";
import type { FileLock } from "@uncaged/workflow-store";
import { storagePaths } from "@uncaged/workflow-util";
import type { Io } from "../command/io.ts";
import { withProgress } from "../command/with-progress.ts";

/** Changes the packages of a storage root once no other process does; says on a terminal that it is waiting. Aborting
 *  the signal ends the wait with `INSTALL_FAILED`. Throws `STORAGE_FAILED` when locking is impossible.
 *
 *  The lock is held while npm works, for minutes. So it is separate from the registry's lock, for which others wait. */
export async function withPackagesLock<T>(
  at: { root: string; signal: AbortSignal; io: Pick<Io, "stderr" | "now"> },
  work: () => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const { lockFile } = await import("@uncaged/workflow-store");
  const { packagesLock } = storagePaths(at.root);
  const waiting = (): Promise<FileLock | null> => lockFile(packagesLock, at.signal);
  const lock = await withProgress(at.io, "waiting for another installation", waiting);
  if (lock === null) return err(gaveUp(at.root));
  try {
    return await work();
  } finally {
    lock.release();
  }
}

function gaveUp(root: string): Failure {
  return failure(
    "INSTALL_FAILED",
    `another process is installing into ${root}, and waiting for it was interrupted`,
    "nothing was changed; add the agent again when the other is done",
  );
}
