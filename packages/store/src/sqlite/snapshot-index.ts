import { openDatabase } from "../database/open-database.ts";
import { retryWhileBusy } from "../database/retry-while-busy.ts";
import { sqliteFailed } from "../database/sqlite-failure.ts";
import { NO_LEASE } from "../operations/lease-columns.ts";
import { openThreadIndex } from "./thread-index.ts";

/** Copies the index of a storage root into `file`, which must not exist, as of one moment while threads run.
 *  In the copy no thread has an owner: those that ran are idle, or paused if somebody asked for that. Throws what
 *  `openIndex` throws. */
export async function snapshotIndex(root: string, file: string): Promise<void> {
  const index = await openThreadIndex(root);
  try {
    // One statement is one read transaction: writers continue, and nothing they write meanwhile is in the copy.
    await retryWhileBusy(() =>
      index.read(`copy every page to ${file}`, () => index.sql("VACUUM INTO :file").run({ file })),
    );
  } finally {
    index.close();
  }
  await disown(file);
}

async function disown(file: string): Promise<void> {
  const copy = await openDatabase(file, { prepare: () => {} });
  try {
    copy.exec(DISOWN);
  } catch (cause) {
    throw sqliteFailed(`cannot write ${file}`, cause);
  } finally {
    copy.close();
  }
}

/** The fence stays: the next owner's is higher, whatever the old one still does elsewhere. */
const DISOWN = `
  UPDATE threads SET
    status = iif(pauseSignalAt IS NULL, 'idle', 'paused'), stopSignalAt = NULL, killSignalAt = NULL, ${NO_LEASE}
  WHERE leasePid IS NOT NULL`;
