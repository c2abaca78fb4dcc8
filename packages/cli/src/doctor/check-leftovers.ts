import { basename } from "node:path";
import { atomicFolders, oldTemporaries } from "@uncaged/workflow-execute";
import { storagePaths } from "@uncaged/workflow-util";
import { count } from "../count.ts";
import { type Check, fine, type Patient, wrong } from "./check.ts";

const NAME = "leftovers";
/** A file takes milliseconds to write; what is this old has lost its writer. */
const OLD_MS = 60 * 60 * 1000;
const SHOWN = 5;

/** No temporary file of a writer that died lies about. */
export async function checkLeftovers({ root, nowMs }: Patient): Promise<Check> {
  const folders = [storagePaths(root).cas, ...(await atomicFolders(root))];
  const old = { named: TEMPORARY, untilMs: nowMs - OLD_MS };
  const all = (await Promise.all(folders.map((each) => oldTemporaries(each, old)))).flat();
  if (all.length === 0) return fine(NAME, "none");
  const shown = all
    .slice(0, SHOWN)
    .map((path) => basename(path))
    .join(", ");
  return wrong(
    NAME,
    `${count(all.length, "temporary file")} of writers that died: ${shown}${all.length > SHOWN ? ", …" : ""}`,
    "uncaged-workflow cas gc",
  );
}

/** As `writeFileAtomic` names them, and the blobs' own. */
const TEMPORARY = /^\.(?:tmp-.*|.*\.tmp)$/;
