import { storagePaths } from "@uncaged/workflow-util";
import { atomicFolders, oldTemporaries } from "./old-temporaries.ts";

/** Paths of the temporary files of a storage root that were changed last then or earlier. `cas gc` deletes them.
 *  `untilMs`: Unix milliseconds. Throws what the system throws. */
export async function leftoverFiles(root: string, untilMs: number): Promise<string[]> {
  const folders = [storagePaths(root).cas, ...(await atomicFolders(root))];
  const old = { named: TEMPORARY, untilMs };
  return (await Promise.all(folders.map((each) => oldTemporaries(each, old)))).flat();
}

/** As `writeFileAtomic` names them, and the blobs' own. */
const TEMPORARY = /^\.(?:tmp-.*|.*\.tmp)$/;
