/** What a garbage collection does to rows: the same two steps as with files. */
import type { BlobTable } from "@uncaged/workflow-protocol";

export type RowPlan = {
  quarantine: readonly string[];
  restore: readonly string[];
  purge: readonly string[];
  /** Only what has lain aside since then or longer is deleted; Unix milliseconds. */
  untilMs: number;
};

/** What a sweep goes by. */
export type RowFacts = {
  /** Rows that were in place before the roots were read. */
  listed: readonly string[];
  live: ReadonlySet<string>;
  /** The end of the grace period, and of the times when a writer could have seen a row in place that holds
   *  its lease still; Unix milliseconds. */
  untilMs: number;
};

/** Changes nothing. */
export async function planRows(table: BlobTable, facts: RowFacts): Promise<RowPlan> {
  const { listed, live, untilMs } = facts;
  const aside = await table.listAside();
  const dead = aside.filter(({ hash }) => !live.has(hash));
  return {
    quarantine: listed.filter((hash) => !live.has(hash)),
    restore: aside.map(({ hash }) => hash).filter((hash) => live.has(hash)),
    purge: dead.filter(({ sinceMs }) => sinceMs <= untilMs).map(({ hash }) => hash),
    untilMs,
  };
}

/** `now`: the clock of the collection; a run may take long, and what counts is when a row is moved. */
export async function applyRows(table: BlobTable, plan: RowPlan, now: () => number): Promise<void> {
  // First what threads need, so that nothing below can come between them and it.
  await table.restore(plan.restore);
  await table.quarantine(plan.quarantine, now());
  await table.purge(plan.purge, plan.untilMs);
}
