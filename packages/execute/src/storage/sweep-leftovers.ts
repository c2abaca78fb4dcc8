/** Removes what `writeFileAtomic` leaves behind when its process is killed: temporary files beside `workflow.yaml` and
 *  the files of a bundle. Those of blobs are removed by the blobs' own sweep. */
import { rm } from "node:fs/promises";
import { storageFailed } from "@uncaged/workflow-util";
import { atomicFolders, oldTemporaries } from "./old-temporaries.ts";

/** Writing a file takes milliseconds; a file this old has lost its writer. */
const LEFTOVER_MS = 10 * 60 * 1000;

/** As `writeFileAtomic` names them: `.<name>.<tag>.tmp`. */
const TEMPORARY = /^\..+\.[0-9A-Z]{8}\.tmp$/;

/** Throws `STORAGE_FAILED`. `nowMs`: Unix milliseconds. */
export async function sweepLeftovers(root: string, nowMs: number): Promise<void> {
  const untilMs = nowMs - LEFTOVER_MS;
  try {
    for (const folder of await atomicFolders(root)) {
      for (const path of await oldTemporaries(folder, { named: TEMPORARY, untilMs })) {
        await rm(path, { force: true });
      }
    }
  } catch (cause) {
    throw storageFailed(`cannot sweep leftovers in ${root}`, cause);
  }
}
