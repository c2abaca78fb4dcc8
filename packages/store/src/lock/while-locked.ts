import { failure, WorkflowError } from "@uncaged/workflow-protocol";
import { lockFile } from "./file-lock.ts";

/** Runs a section while no other process holds the lock of this file. Rethrows what the section throws; throws
 *  `STORAGE_FAILED` when the lock cannot be acquired in time. */
export async function whileLocked<T>(
  { file, patienceMs }: { file: string; patienceMs: number },
  section: () => T | Promise<T>,
): Promise<T> {
  const lock = await lockFile(file, AbortSignal.timeout(patienceMs));
  if (lock === null) throw held(file);
  try {
    return await section();
  } finally {
    lock.release();
  }
}

function held(file: string): WorkflowError {
  const hint = "wait for it, or end it, then try again";
  return new WorkflowError(
    failure("STORAGE_FAILED", `cannot lock ${file}: another process holds it`, hint),
  );
}
