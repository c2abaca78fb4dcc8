import { casLock } from "@uncaged/workflow-store";
import { postgres, sharedRoot } from "./open-parts.ts";

/** Garbage collection of a large root takes minutes. */
const PATIENCE_MS = 30 * 60_000;

/** Runs sections that delete blobs of a root, or that need no blob to be deleted, one at a time: also those of other machines that
 *  have the same root. Rethrows what the section throws; throws `STORAGE_FAILED`. */
export async function whileBlobsLocked<T>(root: string, section: () => Promise<T>): Promise<T> {
  const shared = await sharedRoot(root);
  if (shared === null) return casLock(root)(section);
  const { whileRootLocked } = await postgres();
  return whileRootLocked({ ...shared, patienceMs: PATIENCE_MS }, section);
}
