import { lockFile } from "@uncaged/workflow-store";

const WAIT_MS = 15 * 60_000;

/** Runs `body` while no other process of this machine does so with the same file. */
export async function withInstallLock(file: string, body: () => Promise<void>): Promise<void> {
  const lock = await lockFile(file, AbortSignal.timeout(WAIT_MS));
  if (lock === null) throw new Error(`another process has been installing for long; see ${file}`);
  try {
    await body();
  } finally {
    lock.release();
  }
}
