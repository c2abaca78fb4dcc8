/** The index of a storage root that is being moved elsewhere, or to here. */
import { retryWhileBusy } from "../database/retry-while-busy.ts";
import { readHistory } from "../history/history.ts";
import type { Perform } from "../operations/operation.ts";
import { type Index, rootIndex } from "../operations/root-index.ts";
import { answering, carryOut } from "./carry-out.ts";
import { indexTables } from "./index-tables.ts";
import { LEFT_TRIGGER } from "./migrations.ts";
import { openThreadIndex } from "./thread-index.ts";

/** `perform`: carries out operations on its tables. Closing it closes the index. */
export type MovingIndex = Index & { perform: Perform };

/** Opens an index that nobody else can write until it is closed, or this process ends; others read it meanwhile. All that is
 *  done with it is one transaction, and only `leave` commits it. Throws what `openIndex` throws. */
export async function openLeavingIndex(
  root: string,
): Promise<MovingIndex & { leave(): Promise<void> }> {
  const index = await openThreadIndex(root);
  await retryWhileBusy(() =>
    index.read("lock the index", () => index.sql("BEGIN IMMEDIATE").run()),
  );
  const perform: Perform = async ({ what, operation }) =>
    index.read(what, () => answering(index, operation()));
  const made = rootIndex({
    perform,
    commit: perform,
    history: () => readHistory(root),
    shrink: async () => {},
    // What is not committed by then never was.
    close: async () => index.close(),
  });
  return {
    ...made,
    perform,
    /** Whoever has this index open cannot change it any more. */
    leave: async () => {
      const tables = await indexTables();
      index.read("mark the index as moved", () => {
        for (const { name } of tables)
          for (const what of ["INSERT", "UPDATE", "DELETE"]) index.sql(triggerOf(name, what)).run();
        index.sql("COMMIT").run();
      });
    },
  };
}

/** Opens an index that nobody else uses yet, and creates it: beside remains of an earlier one, too. Throws what `openIndex` throws. */
export async function openArrivingIndex(root: string): Promise<MovingIndex> {
  const index = await openThreadIndex(root, "made anew");
  const perform: Perform = (deed) => retryWhileBusy(() => carryOut(index, deed));
  const made = rootIndex({
    perform,
    commit: perform,
    history: () => readHistory(root),
    shrink: async () => {},
    close: async () => index.close(),
  });
  return { ...made, perform };
}

function triggerOf(table: string, what: string): string {
  return `CREATE TRIGGER IF NOT EXISTS ${LEFT_TRIGGER}_${table}_${what} BEFORE ${what} ON ${table}
    BEGIN SELECT RAISE(ABORT, 'the storage root was moved; end this program and start it again'); END`;
}
