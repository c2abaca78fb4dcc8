/** The mark in a folder whose root is on its way. */

import { rm } from "node:fs/promises";
import { hostname } from "node:os";
import { type Failure, failure, parseJson } from "@uncaged/workflow-protocol";
import {
  readRegularFileSync,
  storageFailed,
  storagePaths,
  syncFolder,
  writeFileAtomic,
} from "@uncaged/workflow-util";

/** `arriving`: the root is being moved to this folder from `place`, and is not whole here. `left`: it was moved to `place`, and
 *  this folder has what it was then. Places are words for people, and equal when they mean the same. */
export type MoveMark = { state: "arriving" | "left"; place: string };

/** How a mark elsewhere names a folder. */
export function folderPlace(root: string): string {
  return `${root} on ${hostname()}`;
}

/** null: there is none. A mark that cannot be read is one. Throws `STORAGE_FAILED`. */
export function readMoveMark(root: string): MoveMark | null {
  const { moveMark: path } = storagePaths(root);
  const read = readRegularFileSync(path, 64 * 1024);
  if (!read.ok && read.error.absent) return null;
  const { state, place }: Partial<Record<keyof MoveMark, unknown>> = Object(
    read.ok ? parseJson(read.value.bytes.toString("utf8")) : null,
  );
  return {
    state: state === "arriving" ? "arriving" : "left",
    place: typeof place === "string" ? place : "another place",
  };
}

/** null removes it. Throws `STORAGE_FAILED`. */
export async function writeMoveMark(root: string, mark: MoveMark | null): Promise<void> {
  const { moveMark: path } = storagePaths(root);
  try {
    if (mark === null) {
      await rm(path, { force: true });
      await syncFolder(root);
    } else
      await writeFileAtomic({
        path,
        data: `${JSON.stringify(mark, null, 2)}\n`,
        mode: 0o600,
        existing: "replace",
      });
  } catch (cause) {
    throw storageFailed(`cannot write ${path}`, cause);
  }
}

export function movedFailure(root: string, { state, place }: MoveMark): Failure {
  const { moveMark } = storagePaths(root);
  if (state === "left")
    return failure(
      "STORAGE_MOVED",
      `the storage root ${root} was moved to ${place}`,
      `use it there; if the move was interrupted, repeat it; to use what it was before, delete ${moveMark}`,
    );
  return failure(
    "STORAGE_MOVED",
    `the storage root ${root} is being moved here from ${place}, and is not whole yet`,
    "repeat the same uncaged-workflow root move",
  );
}
