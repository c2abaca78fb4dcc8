import { storagePaths } from "@uncaged/workflow-util";
import { whileLocked } from "./while-locked.ts";

/** A critical section takes milliseconds. */
const PATIENCE_MS = 30_000;

/** Runs critical sections that read and then replace the `workflow.yaml` of this storage root, one at a time across
 *  processes. The lock is a separate file, so no step waits for it. Rethrows what the section throws; throws
 *  `STORAGE_FAILED` when the lock cannot be acquired. */
export function registryLock(root: string): <T>(section: () => T | Promise<T>) => Promise<T> {
  const { registryLock: file } = storagePaths(root);
  return (section) => whileLocked({ file, patienceMs: PATIENCE_MS }, section);
}
