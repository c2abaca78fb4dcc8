/** Distinguishes a new storage root from one that has lost its index.
 *
 *  1. The index comes first: it is opened before any blob or bundle is stored. So blobs, bundles or history without an
 *     index are remains, never a beginning.
 *  2. A missing index is checked again after remains were found: they may belong to a process that has created it
 *     meanwhile. */
import { existsSync } from "node:fs";
import { failure, isHash, WorkflowError } from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import { namesIn } from "../history/names-in.ts";

/** Throws `STORAGE_DAMAGED` when a root without `index.db` used to have one. Changes nothing. */
export function refuseLostFile(root: string): void {
  const { index } = storagePaths(root);
  if (existsSync(index)) return;
  const remains = remainsIn(root);
  if (remains === null || existsSync(index)) return;
  throw lost(`${index} is gone`, remains);
}

/** The same for an existing but empty index: `isStillEmpty` checks it again. */
export function refuseEmptied(root: string, isStillEmpty: () => boolean): void {
  const remains = remainsIn(root);
  if (remains === null || !isStillEmpty()) return;
  throw lost(`${storagePaths(root).index} is empty`, remains);
}

/** For an index that was in use and no longer has a threads table. */
export function withoutTables(root: string): WorkflowError {
  return lost(`${storagePaths(root).index} has lost its tables`, remainsIn(root));
}

/** Evidence, in words, that the root had an index; null when there is none. */
function remainsIn(root: string): string | null {
  const { cas, bundles, history } = storagePaths(root);
  const hashes = namesIn(bundles).filter(isHash);
  const found = [
    hashes.some((hash) => namesIn(history(hash)).length > 0) ? "history" : null,
    namesIn(cas).some(isBlobOrAside) ? "blobs" : null,
    hashes.length > 0 ? "bundles" : null,
  ].filter((each) => each !== null);
  return found.length === 0 ? null : found.join(", ");
}

/** Named as the files store names them. */
function isBlobOrAside(name: string): boolean {
  return name === ".aside" || isHash(name.replace(/\.txt$/, ""));
}

function lost(what: string, remains: string | null): WorkflowError {
  const kept = remains === null ? "" : `, and the storage root has ${remains} of its threads`;
  return new WorkflowError(failure("STORAGE_DAMAGED", `${what}${kept}; nothing was changed`, MEND));
}

const MEND =
  "restore index.db from a backup; without one, rebuild it from the blobs and the history: uncaged-workflow thread recover";
