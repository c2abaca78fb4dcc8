import { existsSync } from "node:fs";
import { endedAndLost } from "@uncaged/workflow-execute";
import type { HistoryLine } from "@uncaged/workflow-protocol";
import { checkThreadIndex } from "@uncaged/workflow-store";
import { isShared, storagePaths } from "@uncaged/workflow-util";
import { count } from "../command/count.ts";
import { withEngine } from "../command/with-engine.ts";
import { type Check, type DoctorContext, fine, wrong } from "./check.ts";
import { lockedIndex } from "./locked-index.ts";

const NAME = "index";
const SHOWN = 3;

/** Checks that the database with the state of every thread exists, is writable and sound, and knows every thread in
 *  the history. */
export async function checkIndex(context: DoctorContext): Promise<Check> {
  const { root, env } = context;
  const { index } = storagePaths(root);
  if (isShared(root)) return sharedIndex(env);
  const locked = await lockedIndex(context);
  if (locked !== null) return wrong(NAME, locked.message, locked.fix);
  const faults = await checkThreadIndex(root);
  const [first] = faults;
  if (first !== undefined)
    return wrong(NAME, faults.map(({ message }) => message).join("; "), first.hint);
  if (!existsSync(index)) return fine(NAME, "no index.db yet: no thread was started");
  return knowsAll(index, await withEngine({ env }, endedAndLost));
}

/** Its server keeps its tables sound. */
async function sharedIndex(env: DoctorContext["env"]): Promise<Check> {
  return knowsAll("the index in PostgreSQL", await withEngine({ env }, endedAndLost));
}

function knowsAll(index: string, lost: readonly HistoryLine[]): Check {
  if (lost.length === 0) return fine(NAME, `${index} is sound`);
  const shown = lost
    .slice(0, SHOWN)
    .map(({ threadId }) => threadId)
    .join(", ");
  return wrong(
    NAME,
    `${index} does not know ${count(lost.length, "thread")} in the history, though their blobs exist: ${shown}${lost.length > SHOWN ? ", …" : ""}; it is older than they are, or belongs to another storage root`,
    "restore a later index.db from a backup, or add what is missing: uncaged-workflow thread recover",
  );
}
