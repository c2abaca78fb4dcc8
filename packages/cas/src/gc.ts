/** Garbage collection in two steps, safe while writers run.
 *
 *  A run sets dead blobs aside; a later run, after a grace period, deletes what is still dead. That
 *  nothing live is ever deleted rests on these points, in this order:
 *
 *  1. The blobs are listed before the roots are read. What is written later is not on the list and
 *     is not touched by this run.
 *  2. What is on the list and reachable from the roots stays. If anything reachable is missing or
 *     damaged, the run stops here: a damaged node's refs are unknown, so nobody knows what is dead.
 *  3. What is on the list and unreachable may still be needed: by a writer who put it, or found it
 *     in place, and has not moved its head yet. So it is only set aside, where `get` finds it.
 *  4. An aside folder is as old as the last move into it. Every writer who saw one of its blobs in
 *     place did so before that. If that writer holds its lease still, `protectSinceMs` is not
 *     later than the folder's age, and the folder stays. If it gave the lease up, its head had
 *     moved before the roots of *this* run were read (`protectSinceMs` is read before them), so the
 *     blob is marked and goes back. Writers without a lease have the grace period.
 *  5. A writer who comes later does not find the blob in place and writes it anew.
 *  6. A crash at any point leaves each blob in the store, aside, or both.
 *  7. What only lost threads reach stays as well: those of which blobs are left and that no root names, since the
 *     index is older than the blobs, or another's. What is missing of them stops nothing.
 *  8. Rows of the index are treated like files, each with a time of its own instead of its folder's. */
import {
  type BlobTable,
  failure,
  isErrorCode,
  type Problem,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { storageFailed } from "@uncaged/workflow-util";
import { listBlobs } from "./files/read-blob.ts";
import { applySweep, planSweep, ripeUntil, type SweepPlan } from "./files/sweep.ts";
import { readAnywhere } from "./packed/read-anywhere.ts";
import { applyRows, planRows, type RowPlan } from "./packed/sweep-rows.ts";
import { markReachable } from "./reachability.ts";

export type CollectOptions = {
  /** Folder of the blobs that are files. */
  dir: string;
  /** Those that are rows; null when there are only files. */
  table: BlobTable | null;
  /** Start and head of every thread; called after the blobs have been listed. */
  roots: () => Promise<readonly string[]>;
  /** What belongs to threads that the roots do not name; called after the roots were read. Heads of such
   *  threads, and whether the text of an unreached blob makes it one. */
  lost?: () => Promise<{ heads: readonly string[]; isHead: (text: string) => boolean }>;
  /** Unix milliseconds. */
  nowMs: number;
  /** How long dead blobs lie aside at least. */
  graceMs: number;
  /** When the oldest lease that stands was acquired, expired or not, as read before this call,
   *  Unix milliseconds; null when none stands. */
  protectSinceMs: number | null;
  /** Count only; nothing is moved or deleted. */
  dryRun: boolean;
};

export type CollectReport = {
  /** Blobs that threads reach. */
  activeRefs: number;
  /** Dead blobs set aside by this run, where they are still found. */
  setAside: number;
  /** Blobs that earlier runs set aside and that are reachable now; back in the store. */
  restoredEntries: number;
  /** Blobs that earlier runs set aside, deleted for good. */
  deletedEntries: number;
};

/** Throws `CAS_MISSING`, `CAS_CORRUPT` or `CAS_NOT_A_NODE` before anything is touched when a blob
 *  that a thread needs is broken, `STORAGE_FAILED` when the disk fails. */
export async function collectGarbage(opts: CollectOptions): Promise<CollectReport> {
  const startedAtMs = performance.now();
  const listed = { files: listBlobs(opts.dir), rows: (await opts.table?.list()) ?? [] };
  const roots = await opts.roots();
  const live = await markReachable(roots, readAnywhere(opts.dir, opts.table));
  if (live.problems[0] !== undefined) throw refusal(live.problems[0], live.problems.length);
  const lost = await reachedByLost(opts, { listed, live: live.reachable });
  const { files, rows } = await sweep(opts, {
    listed,
    live: new Set([...live.reachable, ...lost]),
    // What a row saw of this run's clock: a run may take long, and what counts is the move.
    now: () => Math.ceil(opts.nowMs + performance.now() - startedAtMs),
  });
  return {
    activeRefs: live.reachable.size,
    // A blob may lie in both places.
    setAside: new Set([...files.setAside.hashes, ...rows.setAside]).size,
    restoredEntries: files.restore.length + rows.restore.length,
    deletedEntries: files.purge.length + rows.purge.length,
  };
}

type Listed = { files: readonly string[]; rows: readonly string[] };

async function reachedByLost(
  { dir, table, lost }: CollectOptions,
  { listed, live }: { listed: Listed; live: ReadonlySet<string> },
): Promise<ReadonlySet<string>> {
  if (lost === undefined) return new Set();
  const { heads, isHead } = await lost();
  const read = readAnywhere(dir, table);
  const found = [...heads];
  for (const hash of new Set([...listed.files, ...listed.rows])) {
    if (!live.has(hash) && isHead(await soundOrEmpty(hash, read))) found.push(hash);
  }
  const { reachable, problems } = await markReachable(found, read);
  const damaged = problems.filter(({ code }) => code !== "CAS_MISSING");
  if (damaged[0] !== undefined) throw refusal(damaged[0], damaged.length);
  return reachable;
}

/** What is damaged and reached by nobody is dead as before. */
async function soundOrEmpty(
  hash: string,
  read: (hash: string) => Promise<string | null>,
): Promise<string> {
  try {
    return (await read(hash)) ?? "";
  } catch (cause) {
    if (cause instanceof WorkflowError && cause.failure.code === "CAS_CORRUPT") return "";
    throw cause;
  }
}

type Findings = {
  listed: Listed;
  live: ReadonlySet<string>;
  now: () => number;
};

const NO_ROWS: RowPlan = { setAside: [], restore: [], purge: [], untilMs: 0 };

async function sweep(
  opts: CollectOptions,
  { listed, live, now }: Findings,
): Promise<{ files: SweepPlan; rows: RowPlan }> {
  const { dir, table, dryRun } = opts;
  try {
    const untilMs = ripeUntil(opts);
    const files = planSweep({ ...opts, listed: listed.files, live });
    const rows = table ? await planRows(table, { listed: listed.rows, live, untilMs }) : NO_ROWS;
    if (!dryRun) {
      await applySweep(dir, files);
      if (table) await applyRows(table, rows, now);
    }
    return { files, rows };
  } catch (cause) {
    // What was done by now is sound, and another run does the rest.
    throw storageFailed(`garbage collection in ${dir} stopped half-way`, cause);
  }
}

function refusal(first: Problem, count: number): WorkflowError {
  const others = count > 1 ? `, and ${count - 1} more` : "";
  return new WorkflowError(
    failure(
      isErrorCode(first.code) ? first.code : "CAS_CORRUPT",
      `garbage collection stopped and touched nothing: ${first.message}${others}`,
      "see all of them: uncaged-workflow cas fsck; then mend or remove the threads that need them",
    ),
  );
}
