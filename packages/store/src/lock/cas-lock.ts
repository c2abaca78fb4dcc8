import { storagePaths } from "@uncaged/workflow-util";
import { whileLocked } from "./while-locked.ts";

/** A backup of gigabytes takes minutes. */
const PATIENCE_MS = 30 * 60_000;

/** Runs sections that delete blobs, or that need no blob to be deleted, one at a time. Writers and readers of blobs do
 *  not wait for it. Rethrows what the section throws; throws `STORAGE_FAILED` when the lock cannot be acquired. */
export function casLock(root: string): <T>(section: () => Promise<T>) => Promise<T> {
  const { casLock: file } = storagePaths(root);
  return (section) => whileLocked({ file, patienceMs: PATIENCE_MS }, section);
}
