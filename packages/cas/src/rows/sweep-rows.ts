/** What a garbage collection does to rows: the same two phases as with files. */
import type { BlobTable } from "@uncaged/workflow-protocol";

export type RowPlan = {
  quarantine: readonly string[];
  restore: readonly string[];
  purge: readonly string[];
  /** Only rows quarantined at this time or before are deleted; Unix milliseconds. */
  untilMs: number;
};

/** Inputs of a sweep. */
export type RowFacts = {
  /** Rows that were in place before the roots were read. */
  listed: readonly string[];
  live: ReadonlySet<string>;
  /** A row may be deleted if it was quarantined at this time or before: the grace period is over, and no writer that
   *  still holds its lease can have seen the row in place; Unix milliseconds. */
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

/** `now`: the clock of the collection; a run may take long, and the time of the move counts. */
export async function applyRows(table: BlobTable, plan: RowPlan, now: () => number): Promise<void> {
  // First what threads need, so that nothing below can get in the way.
  await table.restore(plan.restore);
  await table.quarantine(plan.quarantine, now());
  await table.purge(plan.purge, plan.untilMs);
}
