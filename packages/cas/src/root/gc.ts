/** Garbage collection in two phases, safe while writers run.
 *
 *  A run quarantines dead blobs; a later run, after a grace period, deletes those that are still dead. That nothing
 *  live is ever deleted follows from these points, in this order:
 *
 *  1. The blobs are listed before the roots are read. Anything written later is not on the list and not touched by this
 *     run.
 *  2. Blobs on the list that the roots reach stay. If anything reachable is missing or damaged, the run stops here: the
 *     refs of a damaged node are unknown, so nobody knows what is dead.
 *  3. Blobs on the list that the roots do not reach may still be needed: by a writer that stored one, or found one in
 *     place, and has not moved its head yet. So they are only quarantined, where `get` finds them.
 *  4. A quarantine folder is as old as the last move into it. Every writer that saw one of its blobs in place did so
 *     before that. If that writer still holds its lease, the oldest lease is not younger than the folder, and the
 *     folder stays. If it has released the lease, its head had moved before the roots of *this* run were read
 *     (the leases are read before them), so the blob is marked and restored. Writers without a lease have the
 *     grace period.
 *  5. A later writer does not find the blob in place and writes it again.
 *  6. A crash at any point leaves each blob in the store, in quarantine, or both.
 *  7. Blobs that only lost threads reach stay as well: threads that still have blobs but that no root names, because
 *     the index is older than the blobs or belongs elsewhere. Missing blobs of such threads do not stop the run.
 *  8. Rows of the index are treated like files, except that each has its own time instead of its folder's.
 *  9. A blob that is moved from one place to the other is in the new place before its old copy is quarantined, and only
 *     quarantined copies are deleted (`drop-copies.ts`): so 4 and 5 hold for it, too. */
import {
  type CollectReport,
  type CollectRequest,
  failure,
  isErrorCode,
  leaseOf,
  type Problem,
  type ThreadStore,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { storageFailed } from "@uncaged/workflow-util";
import { listBlobs } from "../files/read-blob.ts";
import {
  applySweep,
  planSweep,
  ripeUntil,
  type SweepPlan,
  type SweepTimes,
} from "../files/sweep.ts";
import { markReachable } from "../node/reachability.ts";
import { stateTime } from "../node/state-time.ts";
import { applyRows, planRows, type RowPlan } from "../rows/sweep-rows.ts";
import type { BlobPlaces } from "./blob-places.ts";
import { findLostThreads } from "./lost-threads.ts";
import { readAnywhere } from "./read-anywhere.ts";

/** Unless the caller says otherwise. */
const DEFAULT_GRACE_MS = 60 * 60 * 1000;

/** What says which blobs are needed. */
export type RootThreads = Pick<ThreadStore, "list" | "roots" | "history">;

/** Throws `CAS_MISSING`, `CAS_CORRUPT` or `CAS_NOT_A_NODE` before anything is touched when a blob that a thread needs
 *  is broken, and `STORAGE_FAILED` when the disk fails. */
export async function collectGarbage(
  root: BlobPlaces & { threads: RootThreads },
  { nowMs, graceMs, dryRun }: CollectRequest,
): Promise<CollectReport> {
  const startedAtMs = performance.now();
  const protectSinceMs = await oldestLease(root.threads);
  const listed = { files: listBlobs(root.dir), rows: await root.table.list() };
  const threads = await root.threads.roots();
  const heads = threads.flatMap(({ startHash, head }) => [startHash, head]);
  const live = await markReachable(heads, readAnywhere(root));
  if (live.problems[0] !== undefined) throw refusal(live.problems[0], live.problems.length);
  const lost = await reachedByLost(root, { listed, live: live.reachable });
  const times = { nowMs, graceMs: graceMs ?? DEFAULT_GRACE_MS, protectSinceMs };
  const { files, rows } = await sweep(root, times, {
    dryRun,
    listed,
    live: new Set([...live.reachable, ...lost]),
    // The time of the move by this run's clock: a run may take long, and the move is what counts.
    now: () => Math.ceil(nowMs + performance.now() - startedAtMs),
  });
  return {
    scannedThreads: threads.length,
    activeRefs: live.reachable.size,
    // A blob may be in both places.
    setAside: new Set([...files.quarantine.hashes, ...rows.quarantine]).size,
    restoredEntries: files.restore.length + rows.restore.length,
    deletedEntries: files.purge.length + rows.purge.length,
  };
}

type Listed = { files: readonly string[]; rows: readonly string[] };

/** When the oldest lease that stands was acquired, expired or not: an agent may keep a hash that it stored and submit it
 *  hours later, as long as its runner lives. Unix milliseconds; null when none stands. */
async function oldestLease(threads: RootThreads): Promise<number | null> {
  const owned = await threads.list({ withLease: true });
  const since = owned.flatMap((thread) => leaseOf(thread)?.acquiredAt ?? []);
  return since.reduce<number | null>((oldest, at) => Math.min(oldest ?? at, at), null);
}

async function reachedByLost(
  { dir, table, threads }: BlobPlaces & { threads: RootThreads },
  { listed, live }: { listed: Listed; live: ReadonlySet<string> },
): Promise<ReadonlySet<string>> {
  const { ended, untilMs } = await findLostThreads(threads);
  const read = readAnywhere({ dir, table });
  const found = ended.map(({ head }) => head);
  for (const hash of new Set([...listed.files, ...listed.rows])) {
    if (live.has(hash)) continue;
    const timeMs = stateTime(await verifiedOrEmpty(hash, read));
    if (timeMs !== null && timeMs > untilMs) found.push(hash);
  }
  const { reachable, problems } = await markReachable(found, read);
  const damaged = problems.filter(({ code }) => code !== "CAS_MISSING");
  if (damaged[0] !== undefined) throw refusal(damaged[0], damaged.length);
  return reachable;
}

/** A damaged blob that nothing reaches is as dead as before. */
async function verifiedOrEmpty(
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
  dryRun: boolean;
  listed: Listed;
  live: ReadonlySet<string>;
  now: () => number;
};

async function sweep(
  { dir, table }: BlobPlaces,
  times: SweepTimes,
  { dryRun, listed, live, now }: Findings,
): Promise<{ files: SweepPlan; rows: RowPlan }> {
  try {
    const untilMs = ripeUntil(times);
    const files = planSweep({ ...times, dir, listed: listed.files, live });
    const rows = await planRows(table, { listed: listed.rows, live, untilMs });
    if (!dryRun) {
      await applySweep(dir, files);
      await applyRows(table, rows, now);
    }
    return { files, rows };
  } catch (cause) {
    // What was done so far is valid, and another run does the rest.
    throw storageFailed(`garbage collection in ${dir} stopped half-way`, cause);
  }
}

function refusal(first: Problem, count: number): WorkflowError {
  const others = count > 1 ? `, and ${count - 1} more` : "";
  return new WorkflowError(
    failure(
      isErrorCode(first.code) ? first.code : "CAS_CORRUPT",
      `garbage collection stopped and touched nothing: ${first.message}${others}`,
      "see all of them: uncaged-workflow cas fsck; then repair or remove the threads that need them",
    ),
  );
}
