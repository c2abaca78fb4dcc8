import { failure, WorkflowError } from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import { lockFile } from "./file-lock.ts";

/** A critical section takes milliseconds. */
const PATIENCE_MS = 30_000;

/** Runs critical sections that read and then replace the `workflow.yaml` of this storage root, one at a time across
 *  processes. The lock is a separate file, so no step waits for it. Rethrows what the section throws; throws
 *  `STORAGE_FAILED` when the lock cannot be acquired. */
export function registryLock(root: string): <T>(section: () => T | Promise<T>) => Promise<T> {
  const { registryLock: file } = storagePaths(root);
  return async (section) => {
    const lock = await lockFile(file, AbortSignal.timeout(PATIENCE_MS));
    if (lock === null) throw held(file);
    try {
      return await section();
    } finally {
      lock.release();
    }
  };
}

function held(file: string): WorkflowError {
  const hint = "wait for it, or end it, then try again";
  return new WorkflowError(
    failure("STORAGE_FAILED", `cannot lock ${file}: another process holds it`, hint),
  );
}
