import { readRegularFile, storageFailed } from "@uncaged/workflow-util";

/** null when there is no such file. Throws `STORAGE_FAILED`. */
export async function readIfThere(path: string, maxBytes: number): Promise<Buffer | null> {
  const read = await readRegularFile(path, maxBytes);
  if (read.ok) return read.value;
  if (read.error.absent) return null;
  throw storageFailed(`cannot read ${path}`, new Error(`it ${read.error.problem}`));
}
